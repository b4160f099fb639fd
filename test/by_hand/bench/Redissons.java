// Redissons PORT put N | take N | due N SPAN_MS | latency N SPAN_MS: Redisson's RDelayedQueue, 1,000 offers in flight; take is poll: no
// lease, no ack. due is take of delayed values, from when all are due; what moves them starts only then. Prints seconds; for latency a
// line for each value: its lateness in us.
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

public class Redissons {
    static final int FLYING = 1000;

    static long nowMicros() {
        var t = java.time.Instant.now();
        return t.getEpochSecond() * 1000000 + t.getNano() / 1000;
    }

    interface Offer {
        CompletionStage<?> send(int i);
    }

    static void inFlight(int n, Offer offer) {
        List<CompletionStage<?>> flying = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            flying.add(offer.send(i));
            if (flying.size() == FLYING || i == n - 1) {
                for (var one : flying) one.toCompletableFuture().join();
                flying.clear();
            }
        }
    }

    static void poll(RBlockingQueue<String> target, int n) throws InterruptedException {
        for (int got = 0; got < n;) {
            int some = target.poll(FLYING).size();
            if (some == 0) target.take();
            got += Math.max(some, 1);
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[2]), span = args.length > 3 ? Integer.parseInt(args[3]) : 0;
        Random random = new Random();
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.useSingleServer().setAddress("redis://127.0.0.1:" + args[0]).setTimeout(60000);
        RedissonClient redisson = Redisson.create(config);
        RBlockingQueue<String> target = redisson.getBlockingQueue("bench");
        RDelayedQueue<String> delayed = redisson.getDelayedQueue(target);
        String payload = "x".repeat(100);
        long start = System.nanoTime();
        if (args[1].equals("put")) {
            inFlight(n, i -> delayed.offerAsync(payload + i, 1, TimeUnit.HOURS));
            System.out.println((System.nanoTime() - start) / 1e9);
        } else if (args[1].equals("take")) {
            inFlight(n, i -> target.offerAsync(payload + i));
            start = System.nanoTime();
            poll(target, n);
            System.out.println((System.nanoTime() - start) / 1e9);
        } else if (args[1].equals("due")) {
            delayed.destroy(); // ends only the moving
            inFlight(n, i -> delayed.offerAsync(payload + i, span + random.nextInt(span), TimeUnit.MILLISECONDS));
            Thread.sleep(2 * span + 50);
            if (!target.isEmpty()) throw new IllegalStateException("some were moved too soon");
            start = System.nanoTime();
            redisson.getDelayedQueue(target);
            poll(target, n);
            System.out.println((System.nanoTime() - start) / 1e9);
        } else {
            inFlight(n, i -> {
                long delay = 1500 + random.nextInt(span);
                long due = System.currentTimeMillis() + delay; // as it reckons itself, in whole ms
                return delayed.offerAsync(due * 1000 + "/" + i, delay, TimeUnit.MILLISECONDS);
            });
            StringBuilder late = new StringBuilder();
            for (int i = 0; i < n; i++) {
                String value = target.take();
                late.append(nowMicros() - Long.parseLong(value.substring(0, value.indexOf('/')))).append('\n');
            }
            System.out.print(late);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
