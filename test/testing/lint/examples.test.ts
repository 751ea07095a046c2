/** The agents of every example have neither errors nor warnings. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentDefinition } from 'troupe'
import { lint, scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'

const examples = join(import.meta.dirname, '../../../examples')
/** An adapter of a user has a chart of its own, and no agents.ts. Agents of Mastra are supervisors, with subagents or without. */
const others = ['43-own-adapter', '45-from-mastra']
const names = readdirSync(examples).filter((name) => /^\d/.test(name) && !others.includes(name))

const ignore = (): undefined => undefined

/** The argument after the model, of the functions that read it while they define their agents. */
const second: Readonly<Record<string, unknown>> = {
  '03-bail': { bail: true },
  '09-workflow': { heats: true, timeout: 1_000, say: ignore },
  '13-background-and-budget': { archiveIsOpen: true },
  '26-exploring': {},
  '38-evals': 'after',
}

/** Infos are facts about runs: a person who approves in their own time, a circle of handoffs, calls without a budget. */
test.for(names)('%s', async (name) => {
  const module = (await import(join(examples, name, 'agents.ts'))) as Readonly<Record<string, unknown>>
  const makers = Object.entries(module).filter(([key]) => key.startsWith('create'))
  expect(makers).not.toEqual([])
  for (const [, make] of makers) {
    const agent = (make as (...args: unknown[]) => AgentDefinition)(
      scriptedModel([]),
      second[name] ?? ignore,
      ignore,
    )
    expect(lint(agent).filter(({ severity }) => severity !== 'info')).toEqual([])
  }
})
