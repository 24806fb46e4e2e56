import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Saved, World } from './world.ts'

/** The last saved state; undefined without a file. */
export function recall(file: string): Saved | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Saved
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Saves a world to a file, checking for changes once a second. Returns a function that saves it a last time. */
export function keep(world: World, file: string): () => void {
  let kept = ''
  const save = () => {
    const text = JSON.stringify(world.save())
    if (text === kept) return
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file) // atomic
    kept = text
  }
  const ticking = setInterval(save, 1_000).unref()
  return () => {
    clearInterval(ticking)
    save()
  }
}
