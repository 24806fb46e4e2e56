/** A timeout: rejects with `late()` after `ms`. The work itself goes on, and its outcome is ignored. */
export async function withTimeout<Value>(ms: number, asked: Promise<Value>, late: () => Error): Promise<Value> {
  const end = Promise.withResolvers<never>()
  const timer = setTimeout(() => end.reject(late()), ms)
  try {
    return await Promise.race([asked, end.promise])
  } finally {
    clearTimeout(timer)
  }
}
