"""What an attacker, or bad luck, puts into payloads, names, reasons and variables. CANARY is a file that is never to be made."""
import os

CANARY = os.environ.get("CANARY", "/tmp/canary")

PROTOCOL = [
    b"\r\n", b"\r\nFLUSHALL\r\n", b"*1\r\n$8\r\nFLUSHALL\r\n", b"*3\r\n$3\r\nSET\r\n$4\r\npwnd\r\n$1\r\n1\r\n", b"$-1\r\n", b"*-1\r\n",
    b"+OK\r\n", b"-ERR no\r\n", b":1\r\n", b"x\r\n*3\r\n$3\r\nSET\r\n$4\r\npwnd\r\n$1\r\n1", b"$2147483647\r\n", b"\0\r\n\0",
]
FORMAT = [b"%n", b"%s%s%s%s%s%n%n", b"%99999999d", b"%b", b"%1$n", b"%%", b"%", b"%.*s", b"%hhn%hhn", b"{0}{0.__class__}"]
LUA = [
    b"'", b'"', b"]]", b"--[[", b"') redis.call('SET', 'pwnd', '1') --", b"\" return redis.call('FLUSHALL') --", b"]=]", b"\\", b"return 1",
    b"KEYS[1]", b"%d+", b"^(.*)$", b"\\n", b"nil", b"nan", b"0x10", b"1e3", b"-0", b"' .. redis.call('FLUSHALL') .. '",
]
SHELL = [
    text.replace("CANARY", CANARY).encode()
    for text in (
        "$(touch CANARY)", "`touch CANARY`", "; touch CANARY", "| touch CANARY", "&& touch CANARY", "\ntouch CANARY\n", ">CANARY",
        "x; touch CANARY #", "'; touch CANARY; '", '"; touch CANARY; "', "$IFS", "${x:=$(touch CANARY)}", "~root", "*", "?", "-rf", "--",
        "-", "--help", "-V", "() { :; }; touch CANARY", "!!", "a b", " ", "\t", "\n", "@SUDO", "../../CANARY",
        "/etc/passwd", "\\$(touch CANARY)",
    )
]
TERMINAL = [
    b"\x1b[2J", b"\x1b[31mred\x1b[0m", b"\x1b[6n", b"\x1b[c", b"\x1b[>c", b"\x1b[21t", b"\x1b[?1049h", b"\x1b[?25l", b"\x1b[1;1H",  # CSI
    b"\x1b[20;1~", b"\x1b[5i", b"\x1b[99999999A", b"\x1b[0;59;\"\r\"p", b"\x1b[38;5;1m", b"\x1bc", b"\x1b#8", b"\x1b(0", b"\x1b%G",
    b"\x1b]0;title\x07", b"\x1b]2;title\x1b\\", b"\x1b]8;;http://evil.invalid\x1b\\click\x1b]8;;\x1b\\",  # OSC
    b"\x1b]52;c;cm0gLXJm\x07", b"\x1b]4;1;?\x07", b"\x1b]50;?\x07", b"\x1b]1337;File=:AA==\x07", b"\x1b]9;note\x07",
    b"\x1bP$q\"p\x1b\\", b"\x1bP+q544e\x1b\\", b"\x1b^pm\x1b\\", b"\x1b_apc\x1b\\", b"\x1bXsos\x1b\\",  # DCS and its kin
    b"\x9b31m", b"\x9d0;t\x9c", b"\x90q\x9c", b"\xc2\x9b31m", b"\xc2\x9d0;t\xc2\x9c", b"\xc2\x85",  # C1, as bytes and in UTF-8
    "\u202eexe.txt".encode(), "\u2066x\u2069".encode(), "\u200fabc".encode(), "\u061cx".encode(), "\u2028x\u2029".encode(),  # bidi, lines
    "\U000e0041".encode(), b"\xef\xbb\xbfx",
    b"\xc0\x9b[1m", b"\xe0\x80\x9b[1m", b"\xf0\x80\x80\x9b[1m", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xff\xfe", b"\xc2",  # no UTF-8
    b"\x07", b"\x08\x08\x08", b"safe\rEVIL", b"a\x0bb\x0cc", b"\x0e\x0f", b"\x05", b"\x18\x1a", b"\x7f", b"\0", b"\x1b",
]
EVIL = PROTOCOL + FORMAT + LUA + SHELL + TERMINAL
PAYLOADS = EVIL + [b"", b"plain", bytes(range(256)), b"\0" * 1000, b"\xff" * 1000, b"\n" * 100, b"\\x1b", b"\\t\\0\\\\"]

# What can be an argument or a variable at all.
WORDS = [text for text in EVIL if b"\0" not in text]


def forbidden(text):
    """The characters in what a person is to read that a terminal might act on; what is not UTF-8 is one, too."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as e:
        return repr(e.object[e.start : e.start + 4])
    bad = [c for c in decoded if acts(ord(c))]
    return "".join(sorted(set(bad))) if bad else ""


def acts(c):
    return (
        (c < 0x20 and c not in (9, 10)) or 0x7F <= c < 0xA0 or c in (0x61C, 0x200E, 0x200F, 0xFEFF)
        or 0x2028 <= c <= 0x202E or 0x2066 <= c <= 0x2069 or 0xE0000 <= c < 0xE1000
    )
