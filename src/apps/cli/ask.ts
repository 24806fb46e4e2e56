import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { BootError } from '../boot.ts'
import { UsageError } from './command.ts'

/** Whether it runs in a terminal. */
export const canAsk = () => process.stdin.isTTY && process.stderr.isTTY

/** Prompts on standard error: standard output is for results. Ctrl-C and Ctrl-D cancel. */
export async function ask(question: string, fallback = ''): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const gone = new Promise<never>((_resolve, reject) => {
    lines.once('SIGINT', () => reject(new BootError('Cancelled.')))
    lines.once('close', () => reject(new BootError('Cancelled.')))
  })
  gone.catch(() => {})
  try {
    const answer = await Promise.race([lines.question(fallback ? `${question} [${fallback}] ` : `${question} `), gone])
    return answer.trim() || fallback
  } catch (error) {
    process.stderr.write('\n') // the prompt left the cursor on its line
    throw error
  } finally {
    lines.close()
  }
}

/** Does not echo the input. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(`${question} `) // only now, because echo is off from here on
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(new BootError('Cancelled.')))
      lines.once('close', () => reject(new BootError('Cancelled.')))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

const MAX_BYTES = 4_096

/** Reads the first line of standard input. */
export async function readSecret(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > MAX_BYTES) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** Confirms an irreversible action: interactively, or with --yes. */
export async function makeSure(yes: boolean, consequence: string): Promise<void> {
  if (yes) return
  if (!canAsk()) throw new UsageError(`${consequence} To confirm without a terminal, add --yes.`)
  const answer = await ask(`${consequence} Go on? Type yes:`)
  if (answer.toLowerCase() !== 'yes') throw new BootError('Nothing was done.')
}
