import type { LucideIcon } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'

/** Something that can be done by name (palette) or by key (`?` lists them). */
export type Command = {
  id: string
  label: string
  /** `g o`, `j`, `mod+k`. One at a time; letters only count outside of fields. */
  keys?: string
  icon?: LucideIcon
  /** Found in the palette unless false: `j` makes no sense there. */
  inPalette?: boolean
  /** Why it cannot be done now. */
  reason?: string | undefined
  run: () => void
}

const CHORD_MS = 1_200

type Layer = { commands: readonly Command[]; isFrame: boolean }

let layers: Layer[] = []
let listed: readonly (Command & Pick<Layer, 'isFrame'>)[] = []
const listeners = new Set<() => void>()

function publish(): void {
  // What is done here comes before what can be done everywhere.
  listed = layers
    .toSorted((one, other) => Number(one.isFrame) - Number(other.isFrame))
    .flatMap(({ commands, isFrame }) => commands.map((command) => ({ ...command, isFrame })))
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Everything that can be done on this screen now. */
export const useAllCommands = () => useSyncExternalStore(subscribe, () => listed)

/** Offers commands while a screen is shown. The latest screen wins where two have the same keys, and each wins over the frame. */
export function useCommands(commands: readonly Command[], isFrame = false): void {
  const layer = useRef<Layer>({ commands, isFrame })
  layer.current.commands = commands
  const shape = commands.map(({ id, label, keys, reason }) => `${id}|${label}|${keys}|${reason}`).join('\n')
  // With the screen, not after it: whoever sees it may press a key at once.
  useLayoutEffect(() => {
    const mine = layer.current
    layers = mine.isFrame ? [mine, ...layers] : [...layers, mine] // a frame is mounted after what is in it
    publish()
    return () => {
      layers = layers.filter((one) => one !== mine)
      publish()
    }
  }, [])
  useEffect(() => publish(), [shape])
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))

/** A dialog has its own keys. */
const isInDialog = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[role=dialog], [role=menu]') !== null

const nameOf = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
  const name = key.length === 1 ? key.toLowerCase() : key
  return ctrlKey || metaKey ? `mod+${name}` : name
}

/** Listens for the keys of all commands; once, in the frame. */
export function useKeyboard(): void {
  useEffect(() => {
    let first = ''
    let at = 0
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented || event.isComposing) return
      const name = nameOf(event)
      const isChord = name.startsWith('mod+')
      if (!isChord && (isTyping(event.target) || isInDialog(event.target))) return
      const two = first && event.timeStamp - at < CHORD_MS ? `${first} ${name}` : ''
      const found = find(two) ?? find(name)
      const begins =
        !two && !found && layers.some(({ commands }) => commands.some(({ keys }) => keys?.startsWith(`${name} `)))
      first = begins ? name : ''
      at = event.timeStamp
      if (!found || found.reason) return
      event.preventDefault()
      found.run()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const find = (keys: string): Command | undefined =>
  keys
    ? layers
        .findLast(({ commands }) => commands.some((one) => one.keys === keys))
        ?.commands.find((one) => one.keys === keys)
    : undefined
