/** The tables of the pages for those who come from elsewhere: an option is the same, or its message names ours. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent, createTool, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const model = scriptedModel([], { otherwise: 'Hello.' })
const agent = createAgent({ id: 'a', model })
const wrong = (given: unknown): never => given as never
const tool = { id: 't', description: 'd', inputSchema: z.object({}), execute: () => 1 }

const places: Readonly<Record<string, (more: object) => unknown>> = {
  createAgent: (more) => createAgent(wrong({ id: 'x', model, ...more })),
  createTool: (more) => createTool(wrong({ ...tool, ...more })),
  createTroupe: (more) => createTroupe(wrong({ agents: [agent], ...more })),
  generate: (more) => agent.generate('Hi', wrong(more)),
}

async function complaintOf(give: () => unknown): Promise<string> {
  try {
    await give()
    return 'It was taken.'
  } catch (error) {
    return String(error)
  }
}

describe.for(['from-langgraph', 'from-ai-sdk', 'from-openai-agents'])('%s', (name) => {
  const page = readFileSync(join(import.meta.dirname, `../../docs/migrate/${name}.md`), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` *\| (\w+) *\| `(\w+)` *\|$/gm)]

  test('has a table of options', () => {
    expect(rows.length).toBeGreaterThan(10)
  })

  test.for(rows.map(([, theirs = '', place = '', ours = '']) => [theirs, place, ours] as const))(
    '%s of %s is %s here',
    async ([theirs, place, ours]) => {
      const message = await complaintOf(() => places[place]?.({ [theirs]: Symbol(theirs) }))
      if (theirs === ours) expect(message).not.toContain(`there is no option "${theirs}"`)
      else expect(message.split(' Known: ')[0]?.split(`"${theirs}"`)[1]).toContain(ours)
    },
  )
})
