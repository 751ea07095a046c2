/** Another process of an example. What it says is printed under its name, and can be waited for. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { row } from './report.ts'

export interface OtherProcess {
  /** Settles when it has said something that contains this. Rejects when it ends without. */
  says(text: string): Promise<void>
  /** SIGKILL: it has no time for anything any more. */
  kill(): Promise<void>
  /** Settles when it has ended by itself. Rejects when something went wrong. */
  ends(): Promise<void>
}

/** `module`: what it runs, and is given `args` and `environment` besides those of this process. */
export function startProcess(
  name: string,
  module: URL,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): OtherProcess {
  const child = fork(module, args, { env: { ...process.env, ...environment } })
  const closed = once(child, 'close')
  let said = ''
  child.on('message', (text) => {
    if (typeof text !== 'string') return
    row(name, text, 8)
    said += `${text}\n`
  })
  return {
    async says(text) {
      while (!said.includes(text)) {
        await Promise.race([once(child, 'message'), closed])
        if (child.exitCode !== null) throw new Error(`${name} has ended without saying "${text}".`)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async ends() {
      await closed
      if (child.exitCode !== 0) throw new Error(`${name} has ended with ${child.exitCode}.`)
    },
  }
}

/** In the other process: says something to the one that has started it. */
export function say(text: string): void {
  process.send?.(text)
}

/** In the other process: keeps it open until `leave`, as the connections of a server would. A run that waits does not. */
export function stay(): void {
  process.channel?.ref()
}

/** In the other process: it ends when it has nothing left to do. */
export function leave(): void {
  process.disconnect()
}
