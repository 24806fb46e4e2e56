import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { BootError } from '../boot.ts'
import { UsageError } from './command.ts'

/** Is there a person to ask? */
export const canAsk = () => process.stdin.isTTY && process.stderr.isTTY

/** On standard error: standard output is for results. Ctrl-C and Ctrl-D end it. */
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
    process.stderr.write('\n') // the question has left the cursor in its line
    throw error
  } finally {
    lines.close()
  }
}

/** What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(`${question} `) // not before: only now does the terminal show nothing of what is typed
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

/** The first line of what is piped in. */
export async function readSecret(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > MAX_BYTES) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** Before what cannot be undone: a person says yes, a program has to say so beforehand. */
export async function makeSure(yes: boolean, consequence: string): Promise<void> {
  if (yes) return
  if (!canAsk()) throw new UsageError(`${consequence} If that is what you want, add --yes (there is nobody to ask).`)
  const answer = await ask(`${consequence} Go on? Type yes:`)
  if (answer.toLowerCase() !== 'yes') throw new BootError('Nothing was done.')
}
