/** The answer, or `late` when it does not come in time. Whatever was asked goes on, and nobody hears of it. */
export async function within<Value>(ms: number, asked: Promise<Value>, late: () => Error): Promise<Value> {
  const end = Promise.withResolvers<never>()
  const timer = setTimeout(() => end.reject(late()), ms)
  try {
    return await Promise.race([asked, end.promise])
  } finally {
    clearTimeout(timer)
  }
}
