// delayqueue SOCKET put N | (take | due | latency) N SPAN_MS [EVERY_MS]: HDT3213/delayqueue, 16 senders at once, 100 handlers, which
// poll every second, or EVERY_MS. due is take of delayed messages, from when all are due. Prints seconds; for latency a line for each
// message: its lateness in us.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hdt3213/delayqueue"
	"github.com/redis/go-redis/v9"
)

const senders = 16

var quiet = log.New(os.Stderr, "", 0)

func put(queue *delayqueue.DelayQueue, n int, message func() (string, time.Duration)) {
	var wait sync.WaitGroup
	for s := 0; s < senders; s++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < n/senders; i++ {
				payload, delay := message()
				if err := queue.SendDelayMsg(payload, delay); err != nil {
					quiet.Fatal(err)
				}
			}
		}()
	}
	wait.Wait()
}

func main() {
	path, mode := os.Args[1], os.Args[2]
	n, _ := strconv.Atoi(os.Args[3])
	n = n / senders * senders
	span := 0
	if len(os.Args) > 4 {
		span, _ = strconv.Atoi(os.Args[4])
	}
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: path, PoolSize: 32})
	if err := client.Ping(context.Background()).Err(); err != nil {
		quiet.Fatal(err)
	}
	var left atomic.Int64
	var mutex sync.Mutex
	var late []int64
	done := make(chan struct{})
	left.Store(int64(n))
	queue := delayqueue.NewQueue("bench", client, func(payload string) bool {
		if mode == "latency" {
			due, _ := strconv.ParseInt(payload, 10, 64)
			mutex.Lock()
			late = append(late, time.Now().UnixMicro()-due)
			mutex.Unlock()
		}
		if left.Add(-1) == 0 {
			close(done)
		}
		return true
	}).WithConcurrent(100).WithFetchLimit(1000)
	if len(os.Args) > 5 {
		every, _ := strconv.Atoi(os.Args[5])
		queue.WithFetchInterval(time.Duration(every) * time.Millisecond)
	}
	payload := strings.Repeat("x", 100)
	start := time.Now()
	switch mode {
	case "put":
		put(queue, n, func() (string, time.Duration) { return payload, time.Hour })
		fmt.Println(time.Since(start).Seconds())
	case "take":
		put(queue, n, func() (string, time.Duration) { return payload, 0 })
		time.Sleep(1100 * time.Millisecond)
		start = time.Now()
		queue.StartConsume()
		<-done
		fmt.Println(time.Since(start).Seconds())
	case "due":
		put(queue, n, func() (string, time.Duration) { return payload, time.Duration(span+rand.Intn(span)) * time.Millisecond })
		time.Sleep(time.Duration(2*span+50) * time.Millisecond)
		start = time.Now()
		queue.StartConsume()
		<-done
		fmt.Println(time.Since(start).Seconds())
	case "latency":
		put(queue, n, func() (string, time.Duration) {
			delay := time.Duration(1500+rand.Intn(span)) * time.Millisecond
			return strconv.FormatInt(time.Now().Add(delay).UnixMicro(), 10), delay
		})
		queue.StartConsume()
		<-done
		mutex.Lock()
		for _, us := range late {
			fmt.Println(us)
		}
	}
}
