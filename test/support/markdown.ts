import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '../..')

/** ```` ```sh docker ```` is of the language sh, with the mark docker. */
export type Fence = { language: string; mark: string; line: number; code: string }
export type Page = { file: string; text: string; fences: Fence[] }

const PAGES = [
  '*.md',
  'docs/**/*.md',
  'src/**/README.md',
  'test/README.md',
  'twins/**/README.md',
  'packages/*/README.md',
  'examples/*/README.md',
] as const

export const readPages = (): Page[] =>
  globSync(PAGES, { cwd: ROOT })
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8')
      return { file, text, fences: fencesOf(text) }
    })

function fencesOf(text: string): Fence[] {
  const fences: Fence[] = []
  let open: Fence | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, language = '', mark = ''] = /^```(\w*) ?(\w*)$/.exec(line) ?? []
    if (!line.startsWith('```')) {
      if (open) open.code += `${line}\n`
    } else if (open) {
      fences.push(open)
      open = undefined
    } else {
      open = { language, mark, line: index + 1, code: '' }
    }
  }
  return fences
}

/** A page without its blocks of code: what is left is prose, tables and code in lines. */
export const proseOf = ({ text }: Page) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** What stands between backticks, be it broken over two lines. */
export const inlineCode = (page: Page): string[] =>
  [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))

/** Links that lead to no file, or to no heading of it. Addresses of the web are not followed. */
export function brokenLinks(page: Page): string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^(https?:|mailto:)/.test(target)) return false
    const [file = '', anchor] = target.split('#')
    const found = file ? path.join(ROOT, path.dirname(page.file), file) : path.join(ROOT, page.file)
    if (!existsSync(found)) return true
    return anchor !== undefined && !anchorsOf(readFileSync(found, 'utf8')).includes(anchor)
  })
}

/** As GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
