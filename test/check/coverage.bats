# Goal: The report of make coverage names lines that no test reaches. This runs it on a small tree; make coverage runs all tests on a copy
# of the tree.

bats_require_minimum_version 1.5.0

setup() {
	command -v gcov >/dev/null || {
		[ "${CI:-}" != true ] || {
			echo 'gcov not found: it comes with gcc'
			return 1
		}
		skip 'gcov not found: it comes with gcc'
	}
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p cmd lua build/cmd
	{
		echo 'int main(int argc, char **argv) {'
		printf 'argc++;\n%.0s' {1..40}
		echo 'if (argc > 99)'
		echo 'return **argv; /* many words */'
		echo 'return 0; }'
	} >cmd/x.c
	printf 'local a = f(1)\nif a then\nreturn 2\nend\n' >lua/s.lua
	printf 's.lua:%s\n' 1 2 3 >lines
	printf '%s\n' '1 s.lua:1' '2 s.lua:2' '3 s.lua:3' >hits
	printf '# FILE\tTEXT\tREASON\n' >excused
	build
}

build() {
	rm -f build/cmd/x.*
	gcc -O0 --coverage -c -o build/cmd/x.o cmd/x.c && gcc --coverage -o x build/cmd/x.o && ./x
}

excuse() { # TEXT REASON
	printf 'cmd/x.c\t%s\t%s\n' "$1" "$2" >>excused
}

report() {
	run -"$1" env DETAILS=1 "$BATS_TEST_DIRNAME/../by_hand/coverage/report.py" . lines hits excused
}

has() { # LINE
	grep -Fqx -- "$1" <<<"$output" || {
		printf '%s\nnot there: %s\n' "$output" "$1"
		return 1
	}
}

@test "lines enough, branches not: both are named, and it fails" {
	report 1
	has 'cmd/x.c                      44   97.7        2   50.0'
	has 'cmd/x.c:43: never: return **argv; /* many words */'
	has 'cmd/x.c:42: 1 of 2 branches: if (argc > 99)'
	has 'coverage: below 95 % of lines or 85 % of branches'
}

@test "lines not enough: it fails" {
	sed -i 5,30d cmd/x.c
	build
	excuse 'argc > 99' 'nobody has as many words'
	report 1
	has 'cmd/x.c                      17   94.1        0      -'
	has 'coverage: below 95 % of lines or 85 % of branches'
}

@test "an excuse takes its line out, with its branches" {
	excuse 'argc > 99' 'nobody has as many words'
	report 0
	has 'cmd/x.c                      43   97.7        0      -'
	has 'coverage: enough'
	sed -i 's/^cmd.x.c/*/' excused
	report 0
	has 'cmd/x.c                      43   97.7        0      -'
}

@test "an excuse that nothing needs is named, and it fails" {
	excuse 'argc > 99' 'nobody has as many words'
	excuse argc++ 'it was so once'
	printf 'cmd/gone.c\targc\tit was there once\n' >>excused
	report 1
	has 'coverage: cmd/x.c: nothing needs the excuse for: argc++'
	has 'coverage: cmd/gone.c: nothing needs the excuse for: argc'
}

@test "an excuse without a reason is refused" {
	excuse 'argc > 99' ''
	report 1
	has 'coverage: cmd/x.c: no reason is given for: argc > 99'
}

@test "each line of a script counts" {
	excuse 'argc > 99' 'nobody has as many words'
	sed -i 3d hits
	report 1
	has 'lua/s.lua:3: never: return 2'
	has 'coverage: below 100 % of lines or 0 % of branches'
}
