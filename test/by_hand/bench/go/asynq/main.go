// asynq SOCKET put N | take N | due N SPAN_MS [EVERY_MS] | latency N SPAN_MS [EVERY_MS]: hibiken/asynq, 16 senders at once, 100
// handlers; it polls for scheduled tasks every 5 seconds, or EVERY_MS. due is take of delayed tasks, from when all are due. Prints
// seconds; for latency a line for each message: its lateness in us.
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

	"github.com/hibiken/asynq"
)

const senders = 16

var quiet = log.New(os.Stderr, "", 0)

func put(client *asynq.Client, n int, message func() (string, time.Duration)) {
	var wait sync.WaitGroup
	for s := 0; s < senders; s++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < n/senders; i++ {
				payload, delay := message()
				if _, err := client.Enqueue(asynq.NewTask("bench", []byte(payload)), asynq.ProcessIn(delay)); err != nil {
					quiet.Fatal(err)
				}
			}
		}()
	}
	wait.Wait()
}

type counted struct {
	left atomic.Int64
	done chan struct{}
	sync.Mutex
	late []int64
}

func (c *counted) handle(_ context.Context, task *asynq.Task) error {
	now := time.Now().UnixMicro()
	if due, err := strconv.ParseInt(string(task.Payload()), 10, 64); err == nil {
		c.Lock()
		c.late = append(c.late, now-due)
		c.Unlock()
	}
	if c.left.Add(-1) == 0 {
		close(c.done)
	}
	return nil
}

func main() {
	path, mode := os.Args[1], os.Args[2]
	n, _ := strconv.Atoi(os.Args[3])
	n = n / senders * senders
	span := 0
	if len(os.Args) > 4 {
		span, _ = strconv.Atoi(os.Args[4])
	}
	conf := asynq.Config{Concurrency: 100, LogLevel: asynq.FatalLevel}
	if len(os.Args) > 5 {
		every, _ := strconv.Atoi(os.Args[5])
		conf.DelayedTaskCheckInterval = time.Duration(every) * time.Millisecond
		conf.TaskCheckInterval = conf.DelayedTaskCheckInterval
	}
	redis := asynq.RedisClientOpt{Network: "unix", Addr: path, PoolSize: 32}
	client := asynq.NewClient(redis)
	all := &counted{done: make(chan struct{})}
	all.left.Store(int64(n))
	work := func() {
		if err := asynq.NewServer(redis, conf).Start(asynq.HandlerFunc(all.handle)); err != nil {
			quiet.Fatal(err)
		}
		<-all.done
	}
	payload := strings.Repeat("x", 100)
	start := time.Now()
	switch mode {
	case "put":
		put(client, n, func() (string, time.Duration) { return payload, time.Hour })
		fmt.Println(time.Since(start).Seconds())
	case "take":
		put(client, n, func() (string, time.Duration) { return payload, 0 })
		start = time.Now()
		work()
		fmt.Println(time.Since(start).Seconds())
	case "due":
		put(client, n, func() (string, time.Duration) { return payload, time.Duration(span+rand.Intn(span)) * time.Millisecond })
		time.Sleep(time.Duration(2*span+50) * time.Millisecond)
		start = time.Now()
		work()
		fmt.Println(time.Since(start).Seconds())
	case "latency":
		put(client, n, func() (string, time.Duration) {
			delay := time.Duration(1500+rand.Intn(span)) * time.Millisecond
			return strconv.FormatInt(time.Now().Add(delay).UnixMicro(), 10), delay
		})
		work()
		all.Lock()
		for _, us := range all.late {
			fmt.Println(us)
		}
	}
}
