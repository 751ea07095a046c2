/** The grammar of actor ids, paths and effect keys. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agentAt,
  agentOf,
  agentPath,
  below,
  childId,
  effectKey,
  effectOf,
  isChild,
  isInChain,
  isSuccessor,
  lastId,
  parentPath,
  placeOf,
  positionIn,
  requesterOf,
  sibling,
  successorId,
} from '../../src/actors/actor-path.ts'

const agentId = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}$/)
const kind = fc.constantFrom('call', 'delegation', 'handoff', 'completion', 'scorer', 'decision')
const childIds = fc
  .tuple(kind, fc.nat({ max: 99 }), fc.nat({ max: 99 }))
  .map(([of, step, position]) => childId(of, `${step}.${position}`))
const agentIds = fc.oneof(
  agentId,
  fc.tuple(agentId, fc.integer({ min: 1, max: 9 })).map(([id, count]) => successorId(id, count)),
)
/** An agent, then delegations with their agents, then perhaps a child that is no agent. */
const paths = fc
  .tuple(
    agentIds,
    fc.array(fc.tuple(childIds, agentIds), { maxLength: 3 }),
    fc.option(childIds, { nil: undefined }),
  )
  .map(([root, delegated, end]) => ({
    agents: [root, ...delegated.flatMap(([child, agent]) => [child, agent])].join('/'),
    last: delegated.at(-1)?.[1] ?? root,
    path: [
      root,
      ...delegated.flatMap(([child, agent]) => [child, agent]),
      ...(end === undefined ? [] : [end]),
    ].join('/'),
  }))

describe('ids', () => {
  test.each([
    ['lead', 'lead'],
    ['lead~2', 'lead'],
    ['call:1.1', undefined],
    ['tool#1', 'tool#1'],
  ])('the agent of %s is %s', (id, agent) => {
    expect(agentOf(id)).toBe(agent)
  })

  test('a child is of one kind, and has a place', () => {
    fc.assert(
      fc.property(kind, fc.nat(), fc.nat(), (of, step, position) => {
        const id = childId(of, `${step}.${position}`)
        expect(isChild(id, of)).toBe(true)
        expect(isChild(id, of === 'call' ? 'delegation' : 'call')).toBe(false)
        expect(placeOf(id)).toBe(`${step}.${position}`)
        expect(positionIn(id)).toBe(position)
      }),
    )
  })

  test('a kind that another one begins with is another kind', () => {
    expect(isChild('callback:1', 'call')).toBe(false)
  })
})

describe('paths', () => {
  test('what is put below a path is found again', () => {
    fc.assert(
      fc.property(paths, childIds, ({ path }, id) => {
        expect(parentPath(below(path, id))).toBe(path)
        expect(lastId(below(path, id))).toBe(id)
        expect(sibling(below(path, id), 'other')).toBe(below(path, 'other'))
      }),
    )
  })

  test('a root agent has no parent, and its siblings stand alone', () => {
    expect(parentPath('lead')).toBe('')
    expect(sibling('lead', 'lead~1')).toBe('lead~1')
  })

  test('the nearest agent is the last one of the path', () => {
    fc.assert(
      fc.property(paths, ({ path, agents, last }) => {
        expect(agentPath(path)).toBe(agents)
        expect(agentAt(path)).toBe(agentOf(last))
      }),
    )
  })

  test('a successor is in the chain of the agent whose conversation it takes', () => {
    expect(isSuccessor('lead/delegation:1.1/worker~1')).toBe(true)
    expect(isSuccessor('lead~1/delegation:1.1/worker')).toBe(false)
    expect(isInChain('lead/delegation:1.1/other~1', 'lead/delegation:1.1/worker')).toBe(true)
    expect(isInChain('lead/delegation:1.2/worker', 'lead/delegation:1.1/worker')).toBe(false)
  })
})

test('the key of an effect tells its actor and its path', () => {
  fc.assert(
    fc.property(paths, fc.integer({ min: 1, max: 999 }), ({ path }, count) => {
      const key = effectKey(below(path, 'model'), count)
      expect(effectOf(key)).toBe(below(path, 'model'))
      expect(requesterOf(key)).toBe(path)
    }),
  )
})
