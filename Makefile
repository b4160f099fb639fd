#: dq: small tools for a delay queue on Redis
#:
#:   make              build everything into build/
#:   make deps         install what building and the demo need (apt)
#:   make test-deps    install what the tests need, too; nothing but these two installs anything
#:   make demo         see it work on a throwaway server
#:   make check        the tests that each change needs, as built; TESTS=test/put: those of a folder, or of files
#:   make check-all    all tests, as built and then with sanitizers: before a release
#:   make check-sanitizers  the second part of that
#:   make check-trixie all tests on a bare Debian 13, beside Redis 8 and Valkey 8.1 (as root; needs mmdebstrap)
#:   make chaos        kill everything for a minute, and check what is left; DURATION=SECONDS SEED=N FAULTS=LIST
#:   make mutants      seed mistakes in a copy, and see that tests catch each (some minutes)
#:   make model        explore models of how tools wait and keys take turns, whole (some minutes, 3 GB)
#:   make fuzz         every fuzzer for SECONDS=180, or one: TARGET=url (needs clang)
#:   make coverage     which lines and branches the tests reach
#:   make bench        measure it beside others; DQ_BENCH_SCALE=small for a short run
#:   make bench-compare REV=COMMIT  measure it beside another commit of this repository; NAMES="single run" for some
#:   make steady       each test file N=20 times, JOBS=4 at a time, on a busy machine; TESTS="test/run/basic.bats ..."; takes hours
#:   make portable     other compilers, 32 bits, musl, static; in chroots, so as root; NAMES="m32 musl" for some
#:   make packages     builds, checks, installs, upgrades and purges the Debian package, make install, in chroots (as root); NAMES=trixie
#:   make faults       each call of each tool fails in turn; takes long
#:   make picture      make share/watch.svg, the picture in README.md, anew (a minute)
#:   make install      into $(DESTDIR)$(PREFIX)
#:   make uninstall    the reverse
#:   make dist         the sources of HEAD as $(BUILD)/dq-VERSION.tar.gz; the same commit gives the same bytes
#:   make distcheck    and unpack that elsewhere, build, test and install it; TESTS=all for all tests
#:   make deb          the Debian package dq-tools, from that, into $(BUILD)/deb; DEB_BUILD_OPTIONS=nocheck for no tests
#:   make release      and refuse unless VERSION, NEWS.md, the manuals' dates, the Debian changelog and the tag agree
#:   make clean        remove build/
#:
#: Knobs, as in `make PREFIX=/usr CC=clang`; your flags come last and win:
#:   CC AR CFLAGS CPPFLAGS LDFLAGS LDLIBS HOSTCC HOSTCFLAGS PKG_CONFIG PREFIX BINDIR LIBDIR MANDIR DESTDIR
#:   BASHDIR ZSHDIR FISHDIR   completions: where these shells look below PREFIX; fish, for /usr/local: /etc/fish/completions
#:   UNITDIR   units for systemd: $(PREFIX)/lib/systemd/system; empty, and so none, where there is no systemd
#:   PKG_CONFIG=true takes hiredis from your CPPFLAGS (-isystem DIR of hiredis.h) and LDLIBS (libhiredis.a) alone
#:   BUILD=DIR   another build directory      SAN=1   with address and undefined-behaviour sanitizers
#:   HIREDIS=shared   load libhiredis.so, as packages do (else the tools contain libhiredis.a, where it is installed)
#:   TLS=no      without TLS (yes: or fail; else: where OpenSSL >= 1.1.1 is, and not static)
#:   STATIC=1    a static build; pie: one at any address, where the compiler can (musl-gcc cannot)
#:   WERROR=1    warnings are errors          TESTS="test/put test/ack/verbs.bats" JOBS=N   for check

PREFIX ?= /usr/local
HIREDIS ?= archive
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
DESTDIR ?=
BUILD ?= build
# With sanitizers -O1, as their authors advise, and -g1, which is all that their reports show: it builds in two thirds of the time.
CFLAGS ?= $(if $(filter 1,$(SAN)),-O1 -g1,-O2 -g)
HOSTCC ?= cc
HOSTCFLAGS ?= -O1
PKG_CONFIG ?= pkg-config
SAN ?=
STATIC ?=
WERROR ?=
TLS ?= auto

tools := $(notdir $(wildcard cmd/dq-*))
scripts := $(wildcard lua/*.lua)
units := $(patsubst test/unit/%.c,$(BUILD)/unit/%,$(wildcard test/unit/test_*.c))
all_fuzzers := $(patsubst test/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard test/fuzz/fuzz_*.c))
# An object a script, so that a tool has those that it calls. Their suffix tells them from others of a name in libdq.a.
script_objects := $(scripts:lua/%=$(BUILD)/scripts/%.o)
lib_objects := $(patsubst %.c,$(BUILD)/%.o,$(wildcard common/*/*.c)) $(script_objects)
tool_objects := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cmd/*/*.c cmd/*/*/*.c))
objects := $(tool_objects) $(lib_objects) $(units:%=%.o) $(all_fuzzers:%=%.o) $(BUILD)/fuzz/fake.o

# Asked when the first recipe needs it, so that deps and clean work without hiredis.
no_hiredis = hiredis not found: sudo apt-get install $(if $(shell command -v $(PKG_CONFIG) 2>/dev/null),,pkg-config )$\
	libhiredis-dev (make deps installs it)
pkg_hiredis = $(if $(shell $(PKG_CONFIG) --exists hiredis 2>/dev/null && echo y),$(shell $(PKG_CONFIG) --$1 hiredis),$(error $(no_hiredis)))
# -isystem: its headers do not pass our warnings.
hiredis_cflags = $(eval hiredis_cflags := $(patsubst -I%,-isystem %,$(call pkg_hiredis,cflags)))$(hiredis_cflags)
# Its archive, where there is one: with one library less to load, a tool starts and ends 6 % sooner. $1: what pkg-config says. (In Debian
# libdir is not where the libraries are.)
archive = $(if $(filter-out shared,$(HIREDIS)),$(wildcard $\
	$(if $(filter -L%,$1),$(shell $(PKG_CONFIG) --variable=libdir hiredis)/libhiredis.a,$\
	$(filter /%,$(shell $(CC) $(CFLAGS) $(LDFLAGS) -print-file-name=libhiredis.a)))))
or_archive = $(patsubst -lhiredis,$(or $(call archive,$1),-lhiredis),$1)
hiredis_libs = $(eval hiredis_libs := $(call or_archive,$(call pkg_hiredis,libs)))$(hiredis_libs)

# TLS is a shared object of its own, which tools load when a URL asks for it.
openssl = $(shell $(PKG_CONFIG) --exists 'openssl >= 1.1.1' 2>/dev/null && echo y)
static := $(if $(STATIC),$(if $(filter pie,$(STATIC)),-static-pie,-static))
is_static = $(filter -static%,$(static) $(LDFLAGS))
no_tls = $(if $(filter yes,$(TLS)),$(error TLS=yes: $1))
tls_wanted = $(if $(filter no,$(TLS)),,$(if $(is_static),$(call no_tls,a static build has none: it loads no libraries),$(if $(openssl),y,$\
	$(call no_tls,OpenSSL 1.1.1 or later not found: sudo apt-get install libssl-dev))))
tls := $(if $(filter-out deps test-deps clean help dist distcheck deb release packages,$(or $(MAKECMDGOALS),all)),$(tls_wanted))
tls_object := $(if $(tls),$(BUILD)/tls.so)
fuzzers := $(if $(tls),$(all_fuzzers),$(filter-out %/fuzz_tls,$(all_fuzzers)))
version := $(shell cat VERSION)
# Tools find it beside themselves, or in ../lib/dq; any other LIBDIR they are told.
libdir_told := $(if $(filter-out $(PREFIX)/lib,$(LIBDIR)),-DDQ_LIBDIR='"$(LIBDIR)"')

ifeq ($(SAN),1)
harden := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Inside, where the compiler has them so, and at a fixed address: a tool then starts in 60 % of the time, and tests start thousands.
inside := -no-pie -static-libasan -static-libubsan
static_san = $(eval static_san := $(shell echo 'int main(void) { return 0; }' | $(CC) $(harden) $(inside) -x c -o /dev/null - \
	2>/dev/null && echo $(inside) -rdynamic))$(static_san)
# tls.so takes them from the tool that loads it: two of them in one process would not do.
no_san := -fno-sanitize=all
else
harden = -fstack-protector-strong $(fortify)
endif
# Yours, else the compiler's own (some distributions set one), else 2. Without optimization glibc only warns about it.
fortify = $(eval fortify := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),-U_FORTIFY_SOURCE,$(shell \
	$(CC) $(CPPFLAGS) $(CFLAGS) -dM -E -xc /dev/null 2>/dev/null | \
	awk '/ _FORTIFY_SOURCE / { set = 1 } / __OPTIMIZE__ / { fast = 1 } \
	END { if (fast && !set) print "-D_FORTIFY_SOURCE=2" }')))$(fortify)
warnings := -Wall -Wextra -Wshadow -Wformat=2 -Wconversion
# 64-bit times and offsets on 32-bit systems, too. No struct timeval passes between dq and hiredis.
define_all := -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
# Functions apart, so that the linker leaves out those that a tool never calls, and with them their scripts.
apart := -ffunction-sections -fdata-sections
# What is built does not depend on where: the same sources and flags give the same bytes. The last prefix that matches wins.
anywhere := -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))/=build/ -ffile-prefix-map=$(BUILD)/=build/
compile = $(CC) -std=c11 $(define_all) -Icommon $(hiredis_cflags) -fPIE $(apart) $\
	$(harden) $(anywhere) $(warnings) $(CPPFLAGS) $(CFLAGS)
link = $(CC) $(if $(is_static),$(static),$(or $(static_san),-pie)) $(harden) $\
	-Wl,-z,relro,-z,now -Wl,--as-needed -Wl,--gc-sections -pthread $(CFLAGS) $(LDFLAGS)
werror := $(if $(filter 1,$(WERROR)),-Werror)

.PHONY: all units expanded deps test-deps demo check check-all check-sanitizers check-trixie chaos bench bench-compare $\
	install uninstall clean help mutants fuzzers fuzz model coverage faults steady portable picture dist distcheck deb release $\
	packages FORCE
unexport CDPATH TMOUT POSIXLY_CORRECT # they change what cd, read and bash do in the scripts called from here
.DELETE_ON_ERROR:
.SUFFIXES:

all: $(BUILD)/libdq.a $(tools:%=$(BUILD)/%) $(tls_object)
units: $(units) $(BUILD)/faults/fault.so $(BUILD)/shift.so $(BUILD)/names.so $(BUILD)/rcli $(BUILD)/model/waiting $(BUILD)/model/keys
fuzzers: $(fuzzers)
# The tests read all scripts that are there: one that is no longer in lua/ must not stay.
expanded: $(scripts:%=$(BUILD)/%)
	@rm -f $(filter-out $(scripts:%=$(BUILD)/%),$(wildcard $(BUILD)/lua/*.lua))

# Other flags than last time rebuild everything (-Werror makes no other objects, so it does not count). Each object needs this file,
# so its folder is made here.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D) $(sort $(dir $(objects)))
	@now='$(subst ','\'',$(compile) | $(link) $(hiredis_libs) $(LDLIBS) | $(tls) $(libdir_told))'; \
	[ "$$(cat $@ 2>/dev/null)" = "$$now" ] || printf '%s\n' "$$now" >$@

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(compile) $(extra) $(werror) -MMD -MP -c -o $@ $<

$(BUILD)/unit/%.o: test/unit/%.c $(BUILD)/flags
	$(compile) -Icmd -Itest/unit $(werror) -MMD -MP -c -o $@ $<

$(BUILD)/scripts/%.o: $(BUILD)/scripts/%.c $(BUILD)/flags
	$(compile) -Wno-overlength-strings $(werror) -MMD -MP -c -o $@ $<

$(BUILD)/common/tool/opt.o $(BUILD)/common/redis/tls.o $(BUILD)/tls.so: extra = -DDQ_VERSION='"$(version)"' $\
	$(if $(tls),-DDQ_TLS $(libdir_told))
$(BUILD)/common/tool/opt.o $(BUILD)/common/redis/tls.o $(BUILD)/tls.so: VERSION

$(BUILD)/tls.so: common/redis/tls/openssl.c common/redis/tls_ops.h $(BUILD)/flags
	$(compile) $(extra) $(werror) -fPIC -fvisibility=hidden $(shell $(PKG_CONFIG) --cflags openssl) -c -o $(BUILD)/tls.o $<
	$(CC) -shared $(CFLAGS) $(no_san) -o $@ $(BUILD)/tls.o -Wl,-z,relro,-z,now $(LDFLAGS) $(shell $(PKG_CONFIG) --libs openssl)

# Directories stand for "a file came or went".
$(BUILD)/libdq.a: $(lib_objects) $(wildcard common/*) lua
	rm -f $@
	$(AR) rcsD $@ $(lib_objects)

# The tools' own modules, for the tests.
$(BUILD)/cmd.a: $(filter-out $(foreach t,$(tools),%/$t.o),$(tool_objects)) $(wildcard cmd/* cmd/*/*/)
	rm -f $@
	$(AR) rcsD $@ $(filter %.o,$^)

$(foreach t,$(tools),$(eval $(BUILD)/$t: $(filter $(BUILD)/cmd/$t/%,$(tool_objects)) cmd/$t $(wildcard cmd/$t/*/)))
$(tools:%=$(BUILD)/%): $(BUILD)/libdq.a
	$(link) -o $@ $(filter %.o,$^) $(BUILD)/libdq.a $(hiredis_libs) $(LDLIBS)

$(units): %: %.o $(BUILD)/cmd.a $(BUILD)/libdq.a
	$(link) -o $@ $^ $(hiredis_libs) $(LDLIBS)

# Their flags come from test/fuzz/run. fuzz_reply has a connection of its own in place of redis/conn.
$(BUILD)/fuzz/%.o: test/fuzz/%.c $(BUILD)/flags
	$(compile) -Icmd $(extra) $(werror) -MMD -MP -c -o $@ $<

$(fuzzers): %: %.o $(BUILD)/cmd.a $(BUILD)/libdq.a
	$(link) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(BUILD)/cmd.a $(BUILD)/libdq.a $(hiredis_libs) $(also) $(LDLIBS)

$(BUILD)/fuzz/fuzz_reply: $(BUILD)/fuzz/fake.o
$(BUILD)/fuzz/fuzz_tls.o: extra = -DDQ_VERSION='"$(version)"' $(shell $(PKG_CONFIG) --cflags openssl)
$(BUILD)/fuzz/fuzz_tls: also = $(shell $(PKG_CONFIG) --libs openssl)

$(BUILD)/embed: $(wildcard embed/*.[ch])
	@mkdir -p $(@D)
	$(HOSTCC) -std=c11 -D_POSIX_C_SOURCE=200809L $(warnings) $(werror) $(HOSTCFLAGS) -o $@ $(filter %.c,$^)

$(BUILD)/scripts/%.c: lua/% $(BUILD)/embed $(wildcard lua/lib/*.lua) lua/lib
	@mkdir -p $(@D)
	$(BUILD)/embed $< >$@.part
	mv $@.part $@
.PRECIOUS: $(BUILD)/scripts/%.c

$(BUILD)/lua/%.lua: lua/%.lua $(BUILD)/embed $(wildcard lua/lib/*.lua) lua/lib
	@mkdir -p $(@D)
	$(BUILD)/embed -x $< >$@.part
	mv $@.part $@

deps:
	@test/by_hand/deps

test-deps:
	@test/by_hand/deps --test

demo: all
	@DQ_BIN=$(BUILD) test/by_hand/demo

picture: all
	test/by_hand/picture share/watch.svg

check:
	@test/suite

check-all:
	@test/suite --all

check-sanitizers:
	@test/suite --sanitizers

check-trixie:
	@test/by_hand/trixie

chaos: all
	@DQ_BIN=$(BUILD) DURATION='$(DURATION)' SEED='$(SEED)' FAULTS='$(FAULTS)' test/chaos/run

mutants:
	@test/mutants/run

fuzz:
	@SECONDS_EACH=$(SECONDS) TARGET=$(TARGET) test/fuzz/run

model: $(BUILD)/model/waiting $(BUILD)/model/keys
	@MODEL=$(BUILD)/model/waiting test/model/run

coverage:
	@test/by_hand/coverage/run

steady:
	@test/by_hand/steady $(N) $(TESTS)

portable:
	@BUILD=$(BUILD) test/by_hand/portable $(NAMES)

packages:
	@BUILD=$(BUILD) test/by_hand/packages $(NAMES)

# Never with sanitizers: they would make it start slowly, and it is not what is tested.
$(BUILD)/rcli: test/tool/rcli.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L $(warnings) $(werror) -O2 -o $@ $<

$(BUILD)/model/waiting: test/model/server.h test/model/client.h
$(BUILD)/model/waiting $(BUILD)/model/keys: $(BUILD)/model/%: test/model/%.c test/model/explore.h
	@mkdir -p $(@D)
	$(CC) -std=c11 $(warnings) $(werror) -O2 -o $@ $<

# No hardening: its inline wrappers would be what is replaced here.
$(BUILD)/faults/fault.so: test/faults/fault.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(warnings) $(werror) -O1 -g -fPIC -shared -o $@ $<

$(BUILD)/shift.so $(BUILD)/names.so: $(BUILD)/%.so: test/tool/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(warnings) $(werror) -O1 -fPIC -shared -o $@ $<

faults: all units expanded
	@DQ_BIN=$(BUILD) PYTHONDONTWRITEBYTECODE=1 test/faults/sweep.py
	@[ ! -e $(BUILD)/tls.so ] || DQ_BIN=$(BUILD) PYTHONDONTWRITEBYTECODE=1 test/faults/sweep.py --tls --most 100
	@DQ_BIN=$(BUILD) PYTHONDONTWRITEBYTECODE=1 test/faults/cut.py

bench: all expanded
	@BUILD=$(BUILD) test/by_hand/bench/run

bench-compare: all expanded
	@BUILD=$(BUILD) test/by_hand/bench/compare $(REV) $(NAMES)

# Where shells look: what pkg-config says of theirs, below our PREFIX. They look completions up by the name of the tool: the first
# tool's file is there, the others' are links to it. A file of zsh may have any name. None of them is named dq: that is another tool.
share := $(PREFIX)/share
ask_dir = $(or $(shell $(PKG_CONFIG) --define-variable=prefix=$(PREFIX) --define-variable=datadir=$(share) --variable=$1 $2 2>/dev/null),$3)
BASHDIR ?= $(call ask_dir,completionsdir,bash-completion,$(share)/bash-completion/completions)
# fish looks nowhere below /usr/local, but where the administrator's are; Debian's zsh looks elsewhere below /usr.
FISHDIR ?= $(if $(filter /usr/local,$(PREFIX)),/etc/fish/completions,$\
	$(call ask_dir,completionsdir,fish,$(share)/fish/vendor_completions.d))
ZSHDIR ?= $(firstword $(wildcard $(share)/zsh/vendor-completions) $(share)/zsh/site-functions)
# Where systemd looks: below /usr/local, too. Empty: no units.
UNITDIR ?= $(if $(shell $(PKG_CONFIG) --exists systemd 2>/dev/null && echo y)$(shell command -v systemctl),$(PREFIX)/lib/systemd/system)

# One list, "mode source target" each, for install and uninstall.
install_files = $(foreach t,$(tools),755:$(BUILD)/$t:$(BINDIR)/$t) \
	$(foreach p,$(wildcard man/*.[1-9]),644:$p:$(MANDIR)/man$(subst .,,$(suffix $p))/$(notdir $p)) \
	$(foreach s,$(scripts),644:$(BUILD)/$s:$(share)/dq/$s) \
	$(if $(tls),755:$(BUILD)/tls.so:$(LIBDIR)/dq/tls.so) \
	644:share/grafana.json:$(share)/dq/grafana.json 644:share/alerts.yml:$(share)/dq/alerts.yml 755:share/spool:$(share)/dq/spool \
	644:completions/dq.bash:$(BASHDIR)/$(firstword $(tools)) 644:completions/_dq:$(ZSHDIR)/_dq_tools \
	644:completions/dq.fish:$(FISHDIR)/$(firstword $(tools)).fish \
	$(if $(UNITDIR),$(foreach u,$(wildcard share/systemd/*),644:$u:$(UNITDIR)/$(notdir $u)))
install_links = $(foreach t,$(wordlist 2,99,$(tools)),$(firstword $(tools)):$(BASHDIR)/$t $(firstword $(tools)).fish:$(FISHDIR)/$t.fish)

# Manuals, units and alerts name the paths of the default PREFIX; installed ones those that are, and manuals the version.
path_edits = s|/usr/local/bin\>|$(BINDIR)|g; s|/usr/local/share\>|$(share)|g; s|/usr/local/lib\>|$(LIBDIR)|g; s|^\.Os dq$$|& $(version)|

install: all expanded
	@set -e; umask 022; for f in $(install_files); do \
		mode=$${f%%:*} f=$${f#*:}; to=$(DESTDIR)$${f#*:}; \
		mkdir -p "$${to%/*}"; install -m "$$mode" "$${f%%:*}" "$$to"; echo "$$to"; \
		case $$f in man/* | share/systemd/* | share/alerts.yml:*) sed '$(path_edits)' "$${f%%:*}" >"$$to" ;; esac; \
	done; for f in $(install_links); do \
		to=$(DESTDIR)$${f#*:}; mkdir -p "$${to%/*}"; ln -sf "$${f%%:*}" "$$to"; echo "$$to"; \
	done

uninstall:
	@for f in $(install_files) $(install_links); do rm -f "$(DESTDIR)$${f##*:}"; done
	@rmdir "$(DESTDIR)$(share)/dq/lua" "$(DESTDIR)$(share)/dq" "$(DESTDIR)$(LIBDIR)/dq" 2>/dev/null || true

# gzip and the settings of git must not make a difference.
tarball := $(BUILD)/dq-$(version).tar.gz
dist:
	@mkdir -p $(BUILD)
	@git -c tar.umask=0022 archive --format=tar --prefix=dq-$(version)/ HEAD >$(tarball).part || { rm -f $(tarball).part; exit 1; }
	@gzip -n9 <$(tarball).part >$(tarball) && rm $(tarball).part
	@[ -z "$$(git status --porcelain)" ] || echo 'dist: the tree has changes that are not committed: they are not in the tarball' >&2
	@cd $(BUILD) && sha256sum $(notdir $(tarball))

distcheck: dist
	@test/by_hand/dist $(tarball)

# Debian's tools want debian/ at the top of an unpacked tarball.
deb := $(BUILD)/deb/dq-$(version)
deb: dist
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb && cp $(tarball) $(BUILD)/deb/dq-tools_$(version).orig.tar.gz
	@umask 022 && tar -C $(BUILD)/deb -xf $(tarball) && cp -r $(deb)/share/debian $(deb)/debian
	@cd $(deb) && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS dpkg-buildpackage -us -uc
	@ls $(BUILD)/deb/*.deb

release:
	@test/by_hand/release
	@$(MAKE) --no-print-directory distcheck

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

-include $(objects:.o=.d)
