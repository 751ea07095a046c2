/** Fields that go back to a server, from whole replies and from pieces of a stream. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KeptFields } from '../../../../src/actors/openai/chat/kept-fields.ts'
import { keptReasoning, reasoningBefore } from '../../../../src/actors/openai/responses/kept-reasoning.ts'

function collected(...deltas: readonly Record<string, unknown>[]) {
  const kept = new KeptFields()
  for (const delta of deltas) kept.add(delta)
  return kept.part
}

describe('fields of a message', () => {
  test('without any there is nothing to keep', () => {
    expect(collected({ content: 'Hi', reasoning_content: '' }, { extra_content: null })).toEqual({})
  })

  test('reasoning is kept by the name of its field', () => {
    expect(collected({ reasoning: 'H' }, { reasoning: 'm' })).toEqual({
      data: { reasoningField: 'reasoning' },
      keepReasoning: true,
    })
  })

  test('objects of a field are joined, the later values count', () => {
    expect(collected({ extra_content: { google: { a: 1 } } }, { extra_content: { vendor: 2 } })).toEqual({
      data: { fields: { extra_content: { google: { a: 1 }, vendor: 2 } } },
    })
  })

  test('a block in pieces is the whole block, wherever it is cut', () => {
    const block = { type: 'reasoning.text', index: 0, format: 'f', text: 'thought', signature: 'signed' }
    fc.assert(
      fc.property(fc.nat(block.text.length), fc.nat(block.signature.length), (text, signature) => {
        const piece = (part: object) => ({ reasoning_details: [{ type: block.type, index: 0, ...part }] })
        expect(
          collected(
            piece({ format: 'f', text: block.text.slice(0, text), signature: null }),
            piece({ text: block.text.slice(text) }),
            piece({ signature: block.signature.slice(0, signature) }),
            piece({ signature: block.signature.slice(signature) }),
          ),
        ).toEqual({ data: { fields: { reasoning_details: [block] } } })
      }),
    )
  })

  test('without an index a signature ends a block', () => {
    const thinking = (text: string, signature = '') => ({
      thinking_blocks: [{ type: 'thinking', thinking: text, signature }],
    })
    expect(collected(thinking('a'), thinking('b', 's1'), thinking('c'), thinking('', 's2'))).toEqual({
      data: {
        fields: {
          thinking_blocks: [
            { type: 'thinking', thinking: 'ab', signature: 's1' },
            { type: 'thinking', thinking: 'c', signature: 's2' },
          ],
        },
      },
    })
  })
})

describe('encrypted reasoning', () => {
  const reasoning = (n: number) => ({
    type: 'reasoning',
    id: `rs_${n}`,
    encrypted_content: `e${n}`,
    summary: [],
  })
  const call = { type: 'function_call' }
  const text = { type: 'message' }

  test('goes before the text or the call that came after it', () => {
    const { data } = keptReasoning([reasoning(1), reasoning(2), text, call, reasoning(3), call])
    expect(reasoningBefore(data, 'text')).toEqual([reasoning(1), reasoning(2)])
    expect(reasoningBefore(data, 0)).toEqual([])
    expect(reasoningBefore(data, 1)).toEqual([reasoning(3)])
  })

  test('is dropped where no call came after it, and where it is not encrypted', () => {
    expect(keptReasoning([call, reasoning(1)])).toEqual({})
    expect(keptReasoning([reasoning(1), text])).toEqual({})
    expect(keptReasoning([{ type: 'reasoning', summary: [{ text: 'Hm.' }] }, call])).toEqual({})
  })

  test('goes back without its status', () => {
    const { data } = keptReasoning([{ ...reasoning(1), status: null }, call])
    expect(reasoningBefore(data, 0)).toEqual([reasoning(1)])
  })

  test.each([undefined, null, 'x', {}, { reasoning: 'x' }, { reasoning: [1, { before: 0 }] }])(
    'data of another form is no reasoning: %j',
    (data) => expect(reasoningBefore(data, 0)).toEqual([]),
  )
})
