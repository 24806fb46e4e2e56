import { useEffect, useState } from 'react'
import { useLatest } from '../../ui/use-latest.ts'

/** What is dropped anywhere on the page, or pasted, comes in as files. Answers whether some are held over the page now. */
export function useIntake(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useLatest(onFiles)
  useEffect(() => {
    // Each element that is entered tells it, before the one that is left does.
    let depth = 0
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
    }
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth++
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = 0
      setOver(false)
      take(filesOf(event.dataTransfer))
    }
    const paste = (event: ClipboardEvent) => {
      const files = filesOf(event.clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      take(files.map(named))
    }
    const listen = new AbortController()
    const { signal } = listen
    addEventListener('dragenter', enter, { signal })
    addEventListener('dragleave', leave, { signal })
    addEventListener('dragover', over, { signal })
    addEventListener('drop', drop, { signal })
    addEventListener('paste', paste, { signal })
    return () => listen.abort()
  }, [take])
  return isOver
}

/** A folder that is dropped has no type and no bytes that could be read. */
const filesOf = (data: DataTransfer | null): File[] => {
  const folders = new Set(
    [...(data?.items ?? [])].flatMap((item) => {
      const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
      return entry?.isDirectory ? [entry.name] : []
    }),
  )
  return [...(data?.files ?? [])].filter(({ name, type }) => type !== '' || !folders.has(name))
}

/** Everything that is copied from a screen is called `image.png`. */
function named(file: File): File {
  if (!/^image\.\w+$/.test(file.name)) return file
  const at = new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
  return new File([file], file.name.replace('image', `pasted-${at}`), { type: file.type })
}
