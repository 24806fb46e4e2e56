/** A revocable proxy: after `revoke`, every call fails, even through references kept from before. */
export function revocable<Value extends object>(value: Value): { value: Value; revoke(reason: string): void } {
  let over: string | undefined
  const guard = <Part>(part: Part, owner: object): Part => {
    if (typeof part === 'function') {
      const call = (...words: unknown[]): unknown => {
        if (over !== undefined) throw new Error(over)
        return Reflect.apply(part, owner, words)
      }
      return call as Part
    }
    return typeof part === 'object' && part !== null && !Buffer.isBuffer(part) ? wrap(part) : part
  }
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, { get: (target, name) => guard(Reflect.get(target, name) as unknown, target) })
  return {
    value: wrap(value),
    revoke: (reason) => {
      over = reason
    },
  }
}
