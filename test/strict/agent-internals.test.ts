/** An agent shows what it was given; the library's own is neither listed, printed, copied nor changed. */
import { inspect } from 'node:util'
import { createAgent, createSupervisor, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test, vi } from 'vitest'

const model = scriptedModel([], { otherwise: 'Done.' })
const writer = createAgent({ id: 'writer', description: 'Writes.', instructions: 'Write.', model })
const lead = createSupervisor({ id: 'lead', version: '2', model, agents: { writer } })

describe('of an agent', () => {
  test('the members that were given are listed', () => {
    const shown = ['id', 'status', 'description', 'pattern', 'instructions', 'model', 'tools', 'agents']
    expect(Object.keys(writer)).toEqual(shown)
    expect(new Set(Object.keys(lead))).toEqual(
      new Set(['version', ...shown].filter((name) => name !== 'description')),
    )
  })

  test('they alone are printed', () => {
    const printed = inspect(lead, { depth: 9 })
    expect(printed).toContain("id: 'writer'")
    expect(printed).not.toMatch(/toolset|settings|configure|dynamic|\[Function: (?:generate|stream|chart)/u)
  })

  test.each(['settings', 'toolset', 'options', 'chart', 'configure', 'handoffs'])(
    'the internal `%s` cannot be changed',
    (name) => {
      expect(Reflect.set(writer, name, undefined)).toBe(false)
      expect(Reflect.deleteProperty(writer, name)).toBe(false)
    },
  )

  test('a copy is no agent, and the message says so', () => {
    const copy = { ...writer, id: 'editor' }
    expect(() => createTroupe({ agents: [copy] })).toThrow('it is a copy of an agent')
    expect(() => createSupervisor({ id: 'desk', model, agents: { copy } })).toThrow(
      'it is a copy of an agent',
    )
  })

  test('a test of a user may put functions of its own in the place of those that run it', async () => {
    const agent = createAgent({ id: 'agent', instructions: '', model })
    const spy = vi.spyOn(agent, 'generate')
    expect(await agent.generate('Go')).toMatchObject({ text: 'Done.' })
    expect(spy).toHaveBeenCalledOnce()
  })
})
