/** Runs `troupe inspect`: serves the page until it is stopped. */
import { toErrorData, TroupeError } from '../../errors.ts'
import { inspector } from '../inspector.ts'
import { help, readCommand } from './command.ts'
import { loadAgents } from './load-agents.ts'
import { openSource } from './open-source.ts'

/** The surroundings of the command. */
export interface Terminal {
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Resolves when the person wants to end. */
  readonly interrupted: () => Promise<void>
}

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await run(args, terminal)
    return 0
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    terminal.printError(`${error.message}\nSee troupe --help.\n`)
    return 1
  }
}

async function run(args: readonly string[], { print, printError, interrupted }: Terminal): Promise<void> {
  const command = readCommand(args)
  if (command === 'help') {
    print(help)
    return
  }
  const { sources, port, allowInProduction } = command
  const agents = await loadAgents(command.agents)
  const service = await openSource(sources, agents)
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
