/** What is drawn in tests: all charts of the library with the insides of their states, and the teams of all examples. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyAgent } from 'troupe'
import { toSvg, type SvgOptions } from 'troupe/diagram'
import { scriptedModel } from 'troupe/testing'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { drawnMachines } from '../../../scripts/machines.ts'

export interface Subject {
  readonly name: string
  readonly draw: (options?: SvgOptions) => string
}

export async function machineSubjects(): Promise<readonly Subject[]> {
  const machines = await drawnMachines()
  return machines.flatMap((machine) =>
    insidesOf(machine).map((inside) => ({
      name: inside === undefined ? machine.id : `${machine.id}: ${inside}`,
      draw: (options = {}) => toSvg(machine, inside === undefined ? options : { ...options, inside }),
    })),
  )
}

function insidesOf(machine: AnyStateMachine): readonly (string | undefined)[] {
  const composites = (state: AnyStateNode): readonly AnyStateNode[] =>
    Object.values(state.states).flatMap((inner) =>
      Object.keys(inner.states).length > 0 ? [inner, ...composites(inner)] : [],
    )
  return [undefined, ...composites(machine.root).map(({ path }) => path.join('.'))]
}

const examples = join(import.meta.dirname, '../../../examples')

/** The examples that need what they are given. */
const needed: Readonly<Record<string, readonly unknown[]>> = {
  '09-workflow': [{ heats: true, say: () => undefined }],
  '26-exploring': [{}],
}

export async function teamSubjects(): Promise<readonly Subject[]> {
  const folders = readdirSync(examples).filter((folder) => existsSync(join(examples, folder, 'agents.ts')))
  const found = await Promise.all(
    folders.map(async (folder) => {
      const module = (await import(join(examples, folder, 'agents.ts'))) as Readonly<Record<string, unknown>>
      return Object.entries(module).flatMap(([name, value]) => {
        if (!name.startsWith('create') || typeof value !== 'function') return []
        const create = value as (...args: readonly unknown[]) => unknown
        const made = create(scriptedModel([]), ...(needed[folder] ?? [anything, anything]))
        const agents = agentsIn(made)
        return [{ name: folder, draw: (options?: SvgOptions) => toSvg(agents, options) }]
      })
    }),
  )
  return found.flat()
}

function agentsIn(made: unknown): readonly AnyAgent[] {
  const values = isAgent(made) ? [made] : Object.values(made as object)
  return values.filter(isAgent)
}

function isAgent(value: unknown): value is AnyAgent {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'toolset' in value
}

/** What only runs use: it has every field, and each of them is the same. */
const anything: unknown = new Proxy(function nothing() {}, {
  get: (_, name) =>
    name === 'then'
      ? undefined
      : name === Symbol.toPrimitive
        ? () => 'x'
        : name === Symbol.iterator
          ? [][Symbol.iterator]
          : anything,
  apply: () => anything,
})
