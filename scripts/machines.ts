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
    .flatMap((module) => Object.values(module).filter((value) => value instanceof StateMachine))
    .toSorted((a, b) => a.id.localeCompare(b.id))
}
