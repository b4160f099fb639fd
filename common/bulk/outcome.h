/* outcome: reports each item of a batch by the reply to it. */
#ifndef DQ_OUTCOME_H
#define DQ_OUTCOME_H

#include "bulk/batch.h"
#include "bulk/pipeline_conf.h"

/* outcome_report calls conf->each for each item of a batch that has its reply; or conf->refused if
 * the call was refused. */
void outcome_report(const struct pipeline_conf *conf, const struct batch *batch);

/* outcome_unlisted: the generation at the end of the reply, or NULL. */
const char *outcome_unlisted(const struct pipeline_conf *conf, const struct batch *batch);

/* outcome_of_other_shards: true if the call did nothing because the queue has another
 * number of shards. */
bool outcome_of_other_shards(const struct batch *batch);

#endif
