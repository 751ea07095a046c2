/**
 * Edits of agents: the processes of one machine may run another program than those before them, and than those beside them.
 * An edit says which parts of agents a journal may name for it, and which parts it must name.
 */
import type { Random } from './random.ts'

interface EditFacts {
  /** Whether a journal may name this part for the edit. */
  readonly touches?: (agent: string, part: string) => boolean
  /** The parts that a journal must name for the edit, by agent. */
  readonly must?: Readonly<Record<string, readonly string[]>>
}

const everyAgent = ['solo', 'lead', 'fan', 'worker', 'manager', 'clerk']

/** An edit of one part of some agents. */
const content = (part: string, agents: readonly string[] = everyAgent): EditFacts => ({
  touches: (agent, named) => named === part && agents.includes(agent),
  must: Object.fromEntries(agents.map((agent) => [agent, [part]])),
})

/** A tool or an agent that is there in one program alone. A run that began without it knows nothing of it. */
const presence = (name: string): EditFacts => ({
  touches: (agent, part) => agent === name || part.includes(`"${name}"`),
})

const structure: EditFacts = {}

const kinds = {
  'words of the worker': content('instructions', ['worker']),
  'words of everybody': content('instructions'),
  'another model': content('model'),
  'the description of a tool': content('tool "plain"'),
  'a described field': content('tool "doubtful"'),
  'a field that is required': content('tool "guarded"'),
  'the description of an agent': { touches: (_agent, part) => part.includes('"worker"') },
  'the body of a tool': structure,
  'the body of a hook': structure,
  'no approval any more': structure,
  'an approval': structure,
  'an approval by a function': structure,
  'an approval of delegations': structure,
  'a longer approval': structure,
  'a timeout of a tool': structure,
  'other interruptions': structure,
  'more steps': structure,
  'fewer retries': structure,
  'a lower budget': structure,
  'other timeouts': structure,
  'no background': structure,
  'a new observer': structure,
  'no gate any more': structure,
  'a new hook': structure,
  memory: structure,
  'no working memory': presence('update-working-memory'),
  'a new tool': presence('extra'),
  'a tool less': presence('patient'),
  'a new agent': presence('helper'),
  'an agent less': presence('manager'),
  'a first version': structure,
} satisfies Readonly<Record<string, EditFacts>>

export type EditName = keyof typeof kinds

/** The edits of the program that a process runs; none: the program as it was first. */
export type Program = ReadonlySet<EditName>

const facts: Readonly<Record<EditName, EditFacts>> = kinds
const editNames = Object.keys(kinds) as [EditName, ...EditName[]]

export function someEdits(random: Random): readonly EditName[] {
  return Array.from({ length: random.between(1, 4) }, () => random.pick(editNames))
}

/** A run that began with a version needs that version: a later program of the same world has it too. */
export function deployed(edits: readonly EditName[], before: Program): Program {
  const version = 'a first version'
  return new Set(before.has(version) ? [...edits, version] : edits)
}

/** The agents that a program does not have. */
export function missingAgents(program: Program): readonly string[] {
  return [
    ...(program.has('an agent less') ? ['manager'] : []),
    ...(program.has('a new agent') ? [] : ['helper']),
  ]
}

export interface NamedPart {
  readonly agent: string
  readonly part: string
}

/** The named parts for which there is no edit between the two programs. */
export function unexplained(from: Program, to: Program, parts: readonly NamedPart[]): readonly NamedPart[] {
  const edits = between(from, to)
  return parts.filter(({ agent, part }) => !edits.some((edit) => facts[edit].touches?.(agent, part) === true))
}

/** The edits between the two programs that a run of these agents must name. */
export function untold(from: Program, to: Program, agents: readonly string[]): readonly EditName[] {
  return between(from, to).filter((edit) => {
    const { must = {} } = facts[edit]
    return agents.some((agent) => must[agent] !== undefined)
  })
}

function between(one: Program, other: Program): readonly EditName[] {
  return editNames.filter((edit) => one.has(edit) !== other.has(edit))
}
