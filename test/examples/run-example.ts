/** Runs an example as a user would: a process of its own, on the pinned Node, without an API key. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What an example without a key says first. */
export const offline =
  /^Offline: the real openai driver, talking to a scripted model at http:\/\/127\.0\.0\.1:\d+\/v1/m

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Sends SIGINT when the output has come this far. */
  readonly interruptAt?: string
}

export function runExample(name: string, { args = [], env = {}, interruptAt }: Options = {}): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([key]) => !/^(OPENAI_|PACE$)/.test(key))
  const child = spawn(`${root}node_modules/.bin/node`, [`examples/${name}/main.ts`, ...args], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let isInterrupted = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (isInterrupted || interruptAt === undefined || !stdout.includes(interruptAt)) return
    isInterrupted = true
    child.kill('SIGINT')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

export function lines(text: string, pattern: RegExp): string[] {
  return text.split('\n').filter((line) => pattern.test(line))
}
