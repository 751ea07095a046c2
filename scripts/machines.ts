/** All machines of src/machines, found by their exports, so that none is forgotten. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { StateMachine, type AnyStateMachine } from 'xstate'

export const machinesFolder = join(import.meta.dirname, '../src/machines')

/** By id, in alphabetical order. */
export async function allMachines(): Promise<AnyStateMachine[]> {
  const files = readdirSync(machinesFolder, { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.ts'),
  )
  const modules = await Promise.all(
    files.map((file) => import(join(machinesFolder, file)) as Promise<object>),
  )
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
