/* Linked into the tools by test/by_hand/coverage/run alone: the counts of a process that does not
 * end by exit. */
void __gcov_dump(void);
int __real_raise(int signal);
void __real__exit(int status) __attribute__((noreturn));
int __wrap_raise(int signal);
void __wrap__exit(int status) __attribute__((noreturn));

int __wrap_raise(int signal)
{
	__gcov_dump();
	return __real_raise(signal);
}

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
