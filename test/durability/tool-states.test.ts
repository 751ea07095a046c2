/** Behaviours 36 and 40: an agent whose process ended goes on in the state that its tools had moved it to, and not before. */
import { createSupervisor, createTool, createAgent, type AnyAgent } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { to } from '../support/agents/agents.ts'
import { expectCut, uncut } from './crashes/crash-sweep.ts'
import type { MortalWorld } from './crashes/mortal-world.ts'

/** Says what it is offered, and calls the last one; its conversation tells it how far it has come. */
function company(world: MortalWorld): AnyAgent {
  const given = (
    id: string,
    more: {
      readonly applicableStates?: readonly string[]
      readonly nextState?: string
      readonly fails?: true
    },
  ) => {
    const { fails, ...states } = more
    return createTool({
      id,
      description: `Does ${id}.`,
      inputSchema: z.object({}),
      groups: ['work'],
      ...states,
      execute: (_, { idempotencyKey }) =>
        world.effect(`tool ${idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)}`, () => {
          if (fails) throw new Error('broken')
          return `${id} done`
        }),
    })
  }
  const model = (modelId: string, last: number, reply: (offered: readonly string[]) => ScriptedStep) => {
    const scripted = scriptedModel([], {
      modelId,
      otherwise: (request) => {
        const offered = request.tools.map(({ name }) => name)
        const turns = request.messages.filter(({ role }) => role === 'assistant').length
        const step = turns >= last ? `At the end: ${offered.join(', ')}` : reply(offered)
        return typeof step === 'function' ? step(request) : step
      },
    })
    return {
      ...scripted,
      generate: (...[request, options]: Parameters<typeof scripted.generate>) =>
        world.effect(`model ${options.idempotencyKey.slice(options.idempotencyKey.indexOf('/') + 1)}`, () =>
          scripted.generate(request, options),
        ),
    }
  }
  const tools = {
    search: given('search', { applicableStates: ['undefined'], nextState: 'found' }),
    read: given('read', { applicableStates: ['found'], nextState: 'read' }),
    burn: given('burn', { applicableStates: ['read'], nextState: 'burnt', fails: true }),
    report: given('report', { applicableStates: ['read', 'burnt'], nextState: 'reported' }),
    rest: given('rest', { applicableStates: ['reported'] }),
  }
  const clerk = createAgent({
    id: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools,
    model: model('clerk', 3, (offered) => ({ toolCalls: offered.map((name) => ({ name })) })),
  })
  return createSupervisor({
    id: 'lead',
    instructions: 'Lead.',
    agents: { clerk },
    tools,
    toolGroups: ['work'],
    model: model('lead', 2, (offered) => ({
      toolCalls: [
        ...offered.filter((name) => name !== 'agent-clerk').map((name) => ({ name })),
        to('clerk', 'Go'),
      ],
    })),
  })
}

test('at every point', async () => {
  const whole = await uncut(company)
  expect(whole.result).toMatchObject({
    outcome: 'completed',
    text: 'At the end: burn, report, agent-clerk',
    toolState: 'read',
    delegations: [{ text: 'At the end: rest' }, { text: 'At the end: rest' }],
  })
  for (let point = 1; point <= whole.points; point++) await expectCut(company, whole, [point])
})
