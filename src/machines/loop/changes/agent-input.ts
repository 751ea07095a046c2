/** What the charts of agents take. */
import { anything, aText } from '../../../actors/strict/checks.ts'
import { optional, required, type Field } from '../../../actors/strict/read-options.ts'
import type { AgentInput, AgentProfile } from '../../contract/agent.ts'
import { aList, aLog, aNumber, aRecord, aToolset, inputCheck } from '../../shared/chart-input.ts'

/** The fields of a profile that no agent is without. */
const ofProfile = {
  id: aText,
  model: aText,
  instructions: aText,
  toolset: aToolset,
  dynamic: aList,
  maxSteps: aNumber,
  hooks: aRecord,
  delegation: aRecord,
  background: aRecord,
  caps: aRecord,
  processors: aRecord,
} satisfies { readonly [Name in keyof AgentProfile]?: Field['read'] }

const profileReads = /* @__PURE__ */ Object.entries(ofProfile).map(([name, read]) => ({
  name,
  place: `profile.${name}`,
  read,
}))

function aProfile(given: unknown, where: string): unknown {
  const profile = aRecord(given, where) as Readonly<Record<string, unknown>>
  for (const { name, place, read } of profileReads) read(profile[name], place)
  return profile
}

function anOpening(given: unknown, where: string): unknown {
  const { history, addedInstructions } = aRecord(given, where) as Partial<AgentInput['opening']>
  aList(history, `${where}.history`)
  return aList(addedInstructions, `${where}.addedInstructions`)
}

/** Throws a `ConfigurationError` that names the agent and the field, for an input that no run and no `inputOf` makes. */
export const assertAgentInput = /* @__PURE__ */ inputCheck<AgentInput>({
  chart: 'the chart',
  fields: {
    profile: required(aProfile),
    runId: required(aText),
    origin: optional(aText),
    path: required(aText),
    task: required(aText),
    messages: required(aLog),
    opening: required(anOpening),
    depth: required(aNumber),
    maxSteps: required(aNumber),
    threadId: optional(aText),
    resourceId: optional(aText),
    holder: optional(aText),
    awaitsTools: optional(anything),
  },
  agentOf: ({ profile }) => (profile as { readonly id?: unknown } | null | undefined)?.id ?? undefined,
  advice: 'The chart of an agent takes the input that inputOf(agent, prompt) of troupe/machines makes.',
})
