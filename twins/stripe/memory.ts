import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Saved, World } from './world.ts'

/** What there was when it was last kept; nothing where there is no file. */
export function recall(file: string): Saved | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Saved
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Keeps a world in a file, looking once a second whether it has changed. Answers a function that keeps it a last time. */
export function keep(world: World, file: string): () => void {
  let kept = ''
  const save = () => {
    const text = JSON.stringify(world.save())
    if (text === kept) return
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file) // never half of it
    kept = text
  }
  const ticking = setInterval(save, 1_000).unref()
  return () => {
    clearInterval(ticking)
    save()
  }
}
