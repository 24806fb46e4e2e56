import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import type { Sources } from './select-tests.ts'

const BUILT = ['**/node_modules', '**/dist', '**/.next']
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim()
const lines = (text: string) => text.split('\n').filter(Boolean)

/** Commit where the current branch left `main`, or `HEAD` on `main`. */
export const defaultBase = () =>
  git('branch', '--show-current') === 'main' ? 'HEAD' : git('merge-base', 'HEAD', 'main')

/** Files that differ from a commit, committed or not, including deleted and untracked ones. */
export function changedFiles(base: string): string[] {
  if (spawnSync('git', ['rev-parse', '--quiet', '--verify', `${base}^{commit}`]).status !== 0)
    throw new Error(`There is no commit ${base}.`)
  const tracked = git('diff', '--name-only', '--no-renames', base, '--')
  return lines(`${tracked}\n${git('ls-files', '--others', '--exclude-standard')}`)
}

export function readSources(): Sources {
  const files = globSync('{dev,examples,lab,packages,scripts,src,test,twins}/**/*.{ts,tsx}', { exclude: BUILT })
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]))
}
