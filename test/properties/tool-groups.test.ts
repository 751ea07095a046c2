/**
 * Whatever groups and states tools and agents name: what is offered at each step, over three levels, is what an oracle of
 * its own says, which is written after the rules and not after the code.
 */
import fc from 'fast-check'
import { createSupervisor, createTool, createTroupe, type AgentDefinition } from 'troupe'
import { scriptedModel, type ScriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { to } from '../support/agents/agents.ts'
import { offered } from '../support/agents/tool-groups.ts'

interface GivenTool {
  readonly groups: readonly string[] | undefined
  readonly applicableStates: readonly string[] | undefined
  readonly nextState: string | undefined
  readonly succeeds: boolean
}

interface GivenAgent {
  readonly toolGroups: readonly string[] | undefined
  readonly toolState: string | undefined
  readonly tools: readonly GivenTool[]
  /** What each step calls, by the places of the tools. */
  readonly plan: readonly (readonly number[])[]
  /** What the hook of the agent above says. */
  readonly narrowedTo: readonly string[] | undefined
}

const groupNames = ['default', 'a', 'b', 'c', '*'] as const
const stateNames = ['undefined', 's', 't', '*'] as const
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const givenTool: fc.Arbitrary<GivenTool> = fc.record({
  groups: some(fc.subarray([...groupNames], { minLength: 1 })),
  applicableStates: some(fc.subarray([...stateNames], { minLength: 1 })),
  nextState: some(fc.constantFrom('undefined', 's', 't')),
  succeeds: fc.boolean(),
})
const givenAgent: fc.Arbitrary<GivenAgent> = fc.record({
  toolGroups: some(fc.subarray([...groupNames])),
  toolState: some(fc.constantFrom('undefined', 's', 't')),
  tools: fc.array(givenTool, { minLength: 1, maxLength: 5 }),
  plan: fc.array(fc.array(fc.nat(4), { maxLength: 3 }), { maxLength: 3 }),
  narrowedTo: some(fc.subarray([...groupNames])),
})
const company = fc.array(givenAgent, { minLength: 3, maxLength: 3 })

// --- the oracle ---

/** What an agent may ask for, as a predicate; `undefined`: nobody has said anything. */
type May = ((group: string) => boolean) | undefined

const lets = (groups: readonly string[] | undefined): May =>
  groups === undefined ? undefined : (group) => groups.some((one) => one === '*' || one === group)

const both = (one: May, other: May): May =>
  one === undefined ? other : other === undefined ? one : (group) => one(group) && other(group)

function isOffered({ groups, applicableStates }: GivenTool, may: May, state: string): boolean {
  const own = groups ?? ['default']
  const asks = may ?? ((group: string) => group === 'default')
  const states = applicableStates ?? ['*']
  return (own.includes('*') || own.some(asks)) && (states.includes('*') || states.includes(state))
}

interface Expected {
  readonly offers: readonly (readonly string[])[]
  readonly state: string
}

function expectedOf({ tools, plan, toolState }: GivenAgent, may: May): Expected {
  let state = toolState ?? 'undefined'
  const offerNow = (): number[] =>
    [...tools.keys()].filter((at) => isOffered(tools[at] as GivenTool, may, state))
  const offers: string[][] = []
  for (const step of plan) {
    const offer = offerNow()
    offers.push(offer.map((at) => `t${at}`))
    const begun = step.filter((at) => offer.includes(at)).map((at) => tools[at] as GivenTool)
    for (const { succeeds, nextState } of begun) if (succeeds) state = nextState ?? state
  }
  // One step delegates, where there is somebody to delegate to, and the last one answers.
  offers.push(offerNow().map((at) => `t${at}`))
  return { offers, state }
}

// --- the run ---

function cast(
  level: number,
  given: GivenAgent,
  below: AgentDefinition | undefined,
  next: GivenAgent | undefined,
) {
  const { tools, plan, toolGroups, toolState } = given
  const model = scriptedModel(
    [
      ...plan.map((step) =>
        step.length === 0
          ? { toolCalls: [{ name: 'nothing' }] }
          : { toolCalls: step.map((at) => ({ name: `t${at}` })) },
      ),
      ...(below === undefined ? [] : [{ toolCalls: [to('below', 'Go')] }]),
      'Done.',
    ],
    { modelId: `level${level}` },
  )
  const agent = createSupervisor({
    id: `level${level}`,
    description: 'Works.',
    instructions: '',
    model,
    maxSteps: 10,
    ...(toolGroups === undefined ? {} : { toolGroups }),
    ...(toolState === undefined ? {} : { toolState }),
    ...(below === undefined ? {} : { agents: { below } }),
    tools: Object.fromEntries(
      tools.map(({ succeeds, groups, applicableStates, nextState }, at) => [
        `t${at}`,
        createTool({
          id: `t${at}`,
          description: 'Works.',
          inputSchema: z.object({}),
          ...(groups === undefined ? {} : { groups }),
          ...(applicableStates === undefined ? {} : { applicableStates }),
          ...(nextState === undefined ? {} : { nextState }),
          execute: () => {
            if (!succeeds) throw new Error('broken')
            return 'done'
          },
        }),
      ]),
    ),
    delegation: {
      onDelegationStart: () =>
        next?.narrowedTo === undefined ? {} : { modifiedToolGroups: next.narrowedTo },
    },
  })
  return { agent, model }
}

const toolsOf = (model: ScriptedModel, call: number): readonly string[] =>
  offered(model, call).filter((name) => !name.startsWith('agent-'))

test('what is offered at each step is what the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(company, some(fc.subarray([...groupNames])), async (levels, ofRun) => {
      const casts: ReturnType<typeof cast>[] = []
      for (const [level, given] of [...levels.entries()].toReversed()) {
        casts.unshift(cast(level, given, casts[0]?.agent, levels[level + 1]))
      }
      const [root] = casts
      if (root === undefined) throw new Error('There is no root.')
      const troupe = createTroupe({ agents: [root.agent] })
      const run = await troupe.start(root.agent, 'Go', ofRun === undefined ? {} : { toolGroups: ofRun })
      const result = await run.result
      expect(result.outcome).toBe('completed')

      let may: May = undefined
      for (const [level, given] of levels.entries()) {
        const own = lets(level === 0 ? (ofRun ?? given.toolGroups) : given.toolGroups)
        may = both(both(may, level === 0 ? undefined : lets(given.narrowedTo)), own)
        const expected = expectedOf(given, may)
        const { model } = casts[level] as (typeof casts)[number]
        const steps = expected.offers.length
        for (const [step, names] of expected.offers.entries()) expect(toolsOf(model, step + 1)).toEqual(names)
        if (level < 2) expect(toolsOf(model, steps + 1)).toEqual(expected.offers.at(-1))
        if (level === 0) expect(result.toolState ?? 'undefined').toBe(expected.state)
      }
      expect((await troupe.replay(run.id)).result).toEqual(result)
    }),
    { numRuns: 300 },
  )
})
