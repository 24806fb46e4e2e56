/** `localStorage`, `sessionStorage`, or anything like them; what it answers may be a promise. */
export type KontorStorage = {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

export type Store = ReturnType<typeof createStore>

/** One text in the storage. A storage that throws (private mode, no space) is not asked again: memory does instead. */
export function createStore(given: KontorStorage | (() => KontorStorage) | undefined, key: string) {
  let memory: string | undefined
  let storage = open(given)
  return {
    /** Whether others, such as another tab, may see and change it. */
    isShared: () => storage !== undefined,
    async read(): Promise<string | undefined> {
      try {
        if (storage) return (await storage.getItem(key)) ?? undefined
      } catch {
        storage = undefined
      }
      return memory
    },
    async write(text: string | undefined): Promise<void> {
      memory = text
      try {
        await (text === undefined ? storage?.removeItem(key) : storage?.setItem(key, text))
      } catch {
        // What is still there is old: a refresh token of before, and using one twice ends the session.
        await removeFrom(storage, key)
        storage = undefined
      }
    },
  }
}

async function removeFrom(storage: KontorStorage | undefined, key: string): Promise<void> {
  try {
    await storage?.removeItem(key)
  } catch {
    // Not even that.
  }
}

/** In some browsers the mere mention of `localStorage` throws: hence the function. */
function open(given: KontorStorage | (() => KontorStorage) | undefined): KontorStorage | undefined {
  try {
    return typeof given === 'function' ? given() : given
  } catch {
    return undefined
  }
}
