# Goal: A failing system call, a signal, or a lack of memory, streams or descriptors makes no tool lose a message or report a false
# result. This runs a share of `make faults`, the same each time.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../faults" || return
	DQ_BIN=$(cd "${DQ_BIN:-../../build}" && pwd)
	export DQ_BIN PYTHONDONTWRITEBYTECODE=1
}

@test "the gate finds each kind of fault" {
	./test_gate.py
}

@test "system calls fail" {
	./sweep.py --quick --part calls
}

@test "killed, and asked to end, before each call" {
	./sweep.py --quick --part signals
}

@test "no memory, once and for good" {
	./sweep.py --quick --most 7 --part memory
}

@test "standard streams closed, full, or of the wrong kind" {
	./sweep.py --quick --most 5 --part streams
}

@test "few descriptors, little memory" {
	./sweep.py --part limits # all: with the least memory a stack cannot grow
}

@test "the same over TLS: calls, signals, memory" {
	./sweep.py --quick --most 4 --tls --part calls --part signals --part memory
}

@test "the append-only file is cut: a queue as it was between two calls" {
	./cut.py --step 13
}
