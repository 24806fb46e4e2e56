import { spawn } from 'node:child_process'
import path from 'node:path'
import { PACKED_FLAGS } from './packed.ts'

const BIN = path.join(import.meta.dirname, '../../bin/kontor.js')
const MAX_WAIT_MS = 60_000

export type CliRun = { code: number | null; out: string; err: string; json: any; lines: any[] } // oxlint-disable-line typescript/no-explicit-any

/** The command line as an operator starts it, with what it wrote to each of its outputs. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string>,
  { input = '', cwd }: { input?: string; cwd?: string } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [...PACKED_FLAGS, BIN, 'cli', ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: MAX_WAIT_MS,
    killSignal: 'SIGKILL',
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text))
  child.stdin.on('error', () => {}) // not everybody reads it
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return {
    code,
    out,
    err,
    /** All of standard output is one document. */
    get json() {
      return JSON.parse(out)
    },
    get lines() {
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}
