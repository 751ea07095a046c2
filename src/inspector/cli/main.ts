/** The program `troupe`. */
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { runCommand } from './run-command.ts'

/** Whoever reads has read enough, as `head` does. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

let input: { readonly reader: Interface; readonly lines: AsyncIterator<string> } | undefined

/** The standard input is read once a command asks. */
async function lineAfter(prompt: string): Promise<string | undefined> {
  if (input === undefined) {
    const reader = createInterface({ input: process.stdin, terminal: false })
    input = { reader, lines: reader[Symbol.asyncIterator]() }
  }
  process.stderr.write(prompt)
  const next = await input.lines.next()
  return next.done === true ? undefined : next.value
}

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
  hasColor: process.stdout.isTTY && process.stdout.hasColors(),
  line: lineAfter,
  async interrupted() {
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  },
})
input?.reader.close()
