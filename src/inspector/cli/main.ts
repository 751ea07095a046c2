/** The program `troupe`. */
import { once } from 'node:events'
import { runCommand } from './run-command.ts'

/** Whoever reads has read enough, as `head` does. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
  hasColor: process.stdout.isTTY && process.stdout.hasColors(),
  async interrupted() {
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  },
})
