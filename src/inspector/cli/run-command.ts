/** Runs `troupe inspect`: serves the page until it is stopped. */
import { ConfigurationError, TroupeError } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { inspector } from '../inspector.ts'
import { help, readCommand } from './command.ts'
import { CommandSources, titleOf } from './command-sources.ts'
import { evaluateModules } from './evaluate-command.ts'
import { runExample } from './example-command.ts'
import { inTerminal } from './in-terminal.ts'
import { readTerminalCommand, terminalCommands, type TerminalCommand } from './terminal-command.ts'
import { forkInTerminal } from './fork-command.ts'
import { schedulesInTerminal } from './schedules-command.ts'
import { storyPage } from '../server/story-page.ts'
import type { Terminal } from './terminal.ts'
import { recordRunOf } from './record-command.ts'

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [first, ...others] = args
    const name = terminalCommands.find((one) => one === first)
    if (name !== undefined && !others.includes('--help') && !others.includes('-h'))
      return await runInTerminal(readTerminalCommand(name, others), terminal)
    if (first === 'example' && others[0] !== '--help' && others[0] !== '-h')
      return await runExample(others, terminal.print)
    if (first === 'evaluate' && !others.includes('--help') && !others.includes('-h'))
      return await evaluateModules(others, terminal)
    await run(args, terminal)
    return 0
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    terminal.printError(`${error.message}\nSee troupe --help.\n`)
    return 1
  }
}

async function run(args: readonly string[], { print, printError, interrupted }: Terminal): Promise<void> {
  if (args[0] === 'record' && !args.includes('--help') && !args.includes('-h')) {
    await recordRunOf(args.slice(1), print)
    return
  }
  const command = readCommand(args)
  if (command === 'help') {
    print(help)
    return
  }
  const { sources, port, allowInProduction } = command
  const from = new CommandSources('inspect')
  const agents = await from.agents(command.agents)
  const seal = await from.sealing(command.sealed)
  const story = await from.story(sources)
  if (story !== undefined) {
    const page = await storyPage(story, port)
    print(`${sources.map(titleOf).join(', ')}: ${page.url}\nCtrl+C ends.\n`)
    await interrupted()
    await page.stop()
    return
  }
  const service = await from.open(sources, agents, seal)
  let isOver = false
  try {
    const view = inspector(service, { port, allowInProduction })
    print(`${service.inspection?.title ?? ''}: ${await view.url}\n`)
    if (agents.length === 0) print('Without --agents: journals alone, and not what their entries led to.\n')
    print('Ctrl+C ends.\n')
    service.runs({ limit: 1 }).catch((error: unknown) => {
      if (isOver) return
      printError(
        `The store cannot be read at present: ${toErrorData(error).message}\nThe page tries again.\n`,
      )
    })
    await interrupted()
    isOver = true
    await view.stop()
  } finally {
    await service.close()
  }
}

async function runInTerminal(command: TerminalCommand, terminal: Terminal): Promise<number> {
  const from = new CommandSources(command.name)
  const agents = await from.agents(command.agents)
  const store = await from.store(command.source, await from.sealing(command.sealed))
  if (store === undefined) {
    throw new ConfigurationError(
      `${command.name}: "${command.source}" is no store. Recordings are for troupe inspect.`,
    )
  }
  try {
    if (command.name === 'fork') return await forkInTerminal(command, { store, agents }, terminal)
    if (command.name === 'schedules') return await schedulesInTerminal(command, { store, agents }, terminal)
    return await inTerminal(command, { store, agents }, terminal)
  } finally {
    await store.close?.()
  }
}
