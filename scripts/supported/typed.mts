/** A program that every supported version of TypeScript compiles. */
import { createAgent, createSupervisor, createTool, createTroupe, openai, type RunResult } from 'troupe'
import { toMermaid } from 'troupe/diagram'
import { sqliteStore } from 'troupe/sqlite'
import { explore, never, scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const model = openai('gpt-5-mini')
const look = createTool({
  id: 'look',
  description: 'Looks up the weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city: city.toUpperCase(), degrees: 4 }),
})
const guide = createAgent({ id: 'guide', description: 'Knows the weather.', model, tools: { look } })
const lead = createSupervisor({
  id: 'lead',
  model: scriptedModel(['Done.']),
  agents: { guide },
  delegation: { onDelegationStart: ({ agentName }) => ({ proceed: agentName === 'guide' }) },
})
const troupe = createTroupe({ agents: [lead], store: sqliteStore('runs.db') })
const run = await troupe.start(lead, 'What should I wear in Oslo?', { maxSteps: 3 })
for await (const event of run.events) if (event.type === 'text-delta') console.log(event.payload.text.length)
const result: RunResult = await run.result
console.log(result.outcome === 'failed' ? result.error.code : result.text, toMermaid(lead.chart()))
// @ts-expect-error -- an outcome has one of nine values
if (result.outcome === 'done') console.log('done')
const { violations } = await explore(lead, { rules: { calm: never((past) => past.failed('guide')) } })
console.log(violations.length)
