import { EventEmitter } from 'node:events'

export type Message = {
  id: string
  kind: 'mail' | 'sms'
  /** When it arrived, in ISO 8601. */
  at: string
  from: string
  to: string[]
  /** For an SMS, the beginning of its text. */
  subject: string
  preview: string
  isRead: boolean
  /** The raw mail, or the text of the SMS. */
  raw: Buffer
  /** The searchable text, in lower case. */
  words: string
}

export type NewMessage = Omit<Message, 'id' | 'at' | 'isRead'>
export type Store = ReturnType<typeof createStore>

const MAX_MESSAGES = 500
const MAX_BYTES = 200_000_000

/** The newest messages, in memory only: the inbox is empty after a restart. */
export function createStore() {
  let messages: Message[] = [] // newest first
  let bytes = 0
  let count = 0
  const changes = new EventEmitter().setMaxListeners(0)

  function add(message: NewMessage): Message {
    const added = { ...message, id: String(++count), at: new Date().toISOString(), isRead: false }
    messages.unshift(added)
    bytes += added.raw.length
    while (messages.length > MAX_MESSAGES || (bytes > MAX_BYTES && messages.length > 1)) {
      bytes -= messages.pop()?.raw.length ?? 0
    }
    changes.emit('change')
    return added
  }

  return {
    add,
    find: (id: string) => messages.find((message) => message.id === id),
    /** Newest first; all words of the search must occur. */
    list(search = ''): Message[] {
      const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
      return messages.filter(({ words }) => wanted.every((word) => words.includes(word)))
    },
    unread: () => messages.filter(({ isRead }) => !isRead).length,
    markRead(message: Message): void {
      if (message.isRead) return
      message.isRead = true
      changes.emit('change')
    },
    clear(): void {
      messages = []
      bytes = 0
      changes.emit('change')
    },
    /** Calls `listener` after every change; returns a function that unsubscribes it. */
    onChange(listener: () => void): () => void {
      changes.on('change', listener)
      return () => void changes.off('change', listener)
    },
  }
}
