const PREFIX = `storefront:${KONTOR_SETTINGS.businessId}:`

/** Browsers may refuse storage, even to name it. Then things last as long as the page. */
export const storage = (() => {
  try {
    return window.localStorage
  } catch {
    return inMemory()
  }
})()

function inMemory(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

export function readKept<Value>(name: string, fallback: Value): Value {
  try {
    return JSON.parse(storage.getItem(PREFIX + name) ?? 'null') ?? fallback
  } catch {
    return fallback
  }
}

export function keep(name: string, value: unknown) {
  try {
    storage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    // Full, or refused.
  }
}

/** Another tab has changed it. */
export function onKept(name: string, changed: () => void) {
  window.addEventListener('storage', (event) => {
    if (event.key === PREFIX + name) changed()
  })
}
