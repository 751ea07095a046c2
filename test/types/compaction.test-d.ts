/** The options of a compaction. */
import { createAgent, createMetaRouter, type CompactionOptions, type SummarizeContext } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expectType } from './expect-type.ts'

const model = scriptedModel([])
const common = { id: 'a', instructions: '', model }

createAgent({ ...common, compaction: { window: 8_000 } })
createAgent({ ...common, compaction: { window: 8_000, at: 0.5, model } })
const agent = createAgent({
  ...common,
  compaction: {
    window: 8_000,
    summarize: (context) => {
      expectType<SummarizeContext>()(context)
      return `${context.messages.length} messages`
    },
  },
})
const described = createAgent({ ...common, description: 'Thinks.' })
const given: CompactionOptions = { window: 8_000, summarize: async () => 'So far.' }
await agent.generate('Go', { compaction: given })
createMetaRouter({ ...common, agents: { react: described }, compaction: { window: 8_000 } })

// @ts-expect-error models do not tell their windows
createAgent({ ...common, compaction: { at: 0.5 } })
// @ts-expect-error a summary is a text
createAgent({ ...common, compaction: { window: 8_000, summarize: () => 7 } })
// @ts-expect-error there is no such option
createAgent({ ...common, compaction: { window: 8_000, share: 0.5 } })
