/** The machines of the library, found by their exports, so that none is forgotten. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StateMachine, type AnyStateMachine } from 'xstate'

export const machinesFolder = join(import.meta.dirname, '../src/machines')

/** Machines that are outside of a run. */
const otherFolders = ['mcp/connection', 'runtime/schedules'].map((folder) =>
  join(import.meta.dirname, '../src', folder),
)

/** Those of agents and of their parts, by id, in alphabetical order. */
export async function allMachines(): Promise<AnyStateMachine[]> {
  return machinesIn([machinesFolder])
}

/** All that have a chart. */
export async function drawnMachines(): Promise<AnyStateMachine[]> {
  return machinesIn([machinesFolder, ...otherFolders])
}

async function machinesIn(folders: readonly string[]): Promise<AnyStateMachine[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  )
  const modules = await Promise.all(files.map((file) => import(file) as Promise<object>))
  return modules
    .flatMap((module) => Object.entries(module).flatMap(([name, value]) => machineOf(name, value)))
    .toSorted((a, b) => a.id.localeCompare(b.id))
}

/** Those of agents are made when they are first asked for. */
function machineOf(name: string, value: unknown): AnyStateMachine[] {
  const isMade = name.endsWith('Machine') && typeof value === 'function'
  const machine = isMade ? (value as () => unknown)() : value
  return machine instanceof StateMachine ? [machine] : []
}
