/* outcome: what the replies to a batch say: reports each of its items. */
#ifndef DQ_OUTCOME_H
#define DQ_OUTCOME_H

#include "queue/batch.h"
#include "queue/pipeline_conf.h"

/* outcome_report calls conf->each for the items of a batch that has its reply, or conf->refused. */
void outcome_report(const struct pipeline_conf *conf, const struct batch *batch);

/* outcome_unlisted: the generation that the reply ends with, or NULL. */
const char *outcome_unlisted(const struct pipeline_conf *conf, const struct batch *batch);

/* outcome_of_other_shards: was nothing done, as the queue has another number of shards? */
bool outcome_of_other_shards(const struct batch *batch);

#endif
