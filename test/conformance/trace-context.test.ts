/**
 * The cases of the W3C's suite for trace contexts. Of a `traceparent` that is valid the trace goes on, of any other a new one
 * begins; a `tracestate` that is valid is sent on, and of any other the trace goes on alone. A run is started as a server would
 * start it. Its spans are read, and the trace context that is active in a tool: what a request from there would send.
 * `test/test.py` of https://github.com/w3c/trace-context at acab820b. One case is left out, `test_propagates_random_flag`: the
 * flags of new spans are made by the SDK of OpenTelemetry.
 */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { createAgent, createTool, createTroupe, memoryStore, type TraceContext } from 'troupe'
import { isTraceparent, isTracestate, readTraceContext } from 'troupe/kit'
import { otel, traceContext } from 'troupe/otel'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contextOf } from '../../src/otel/trace-context.ts'
import { calls } from '../support/agents/agents.ts'
import { Telemetry } from '../otel/telemetry.ts'

const telemetry = new Telemetry()
beforeEach(() => telemetry.forget())
afterAll(() => telemetry.close())

const traceId = '12345678901234567890123456789012'
const parentId = '1234567890123456'
const valid = `00-${traceId}-${parentId}-01`

/** By its name in the suite: the headers, and whether the trace goes on. */
const cases: readonly (readonly [
  name: string,
  headers: readonly (readonly [string, string])[],
  goesOn: boolean,
])[] = [
  ['no traceparent', [], false],
  ['traceparent alone', [['traceparent', valid]], true],
  [
    'duplicated',
    [
      ['traceparent', valid],
      ['traceparent', `00-${traceId}-1234567890123457-01`],
    ],
    false,
  ],
  ['another name: trace-parent', [['trace-parent', valid]], false],
  ['another name: trace.parent', [['trace.parent', valid]], false],
  ['the name in other cases: TraceParent', [['TraceParent', valid]], true],
  ['the name in other cases: TrAcEpArEnT', [['TrAcEpArEnT', valid]], true],
  ['the name in other cases: TRACEPARENT', [['TRACEPARENT', valid]], true],
  ['version 00 with a full stop after it', [['traceparent', `${valid}.`]], false],
  ['version 00 with a tail', [['traceparent', `${valid}-what-the-future-will-be-like`]], false],
  ['version cc', [['traceparent', `cc-${traceId}-${parentId}-01`]], true],
  [
    'version cc with a tail',
    [['traceparent', `cc-${traceId}-${parentId}-01-what-the-future-will-be-like`]],
    true,
  ],
  [
    'version cc with no dash',
    [['traceparent', `cc-${traceId}-${parentId}-01.what-the-future-will-be-like`]],
    false,
  ],
  ['version ff', [['traceparent', `ff-${traceId}-${parentId}-01`]], false],
  ['illegal version: .0', [['traceparent', `.0-${traceId}-${parentId}-01`]], false],
  ['illegal version: 0.', [['traceparent', `0.-${traceId}-${parentId}-01`]], false],
  ['version too long', [['traceparent', `000-${traceId}-${parentId}-01`]], false],
  ['version far too long', [['traceparent', `0000-${traceId}-${parentId}-01`]], false],
  ['version too short', [['traceparent', `0-${traceId}-${parentId}-01`]], false],
  ['trace id of zeros', [['traceparent', `00-${'0'.repeat(32)}-${parentId}-01`]], false],
  ['illegal trace id', [['traceparent', `00-.${traceId.slice(1)}-${parentId}-01`]], false],
  ['illegal trace id at its end', [['traceparent', `00-${traceId.slice(1)}.-${parentId}-01`]], false],
  ['trace id too long', [['traceparent', `00-${traceId}3-${parentId}-01`]], false],
  ['trace id too short', [['traceparent', `00-${traceId.slice(1)}-${parentId}-01`]], false],
  ['parent id of zeros', [['traceparent', `00-${traceId}-${'0'.repeat(16)}-01`]], false],
  ['illegal parent id', [['traceparent', `00-${traceId}-.${parentId.slice(1)}-01`]], false],
  ['illegal parent id at its end', [['traceparent', `00-${traceId}-${parentId.slice(1)}.-01`]], false],
  ['parent id too long', [['traceparent', `00-${traceId}-${parentId}7-01`]], false],
  ['parent id too short', [['traceparent', `00-${traceId}-${parentId.slice(1)}-01`]], false],
  ['illegal flags: .0', [['traceparent', `00-${traceId}-${parentId}-.0`]], false],
  ['illegal flags: 0.', [['traceparent', `00-${traceId}-${parentId}-0.`]], false],
  ['flags too long', [['traceparent', `00-${traceId}-${parentId}-001`]], false],
  ['flags too short', [['traceparent', `00-${traceId}-${parentId}-1`]], false],
  ['letters in upper case', [['traceparent', `00-${traceId.slice(1)}A-${parentId}-01`]], false],
  ['a blank before it', [['traceparent', ` ${valid}`]], true],
  ['a tab before it', [['traceparent', `\t${valid}`]], true],
  ['a blank after it', [['traceparent', `${valid} `]], true],
  ['a tab after it', [['traceparent', `${valid}\t`]], true],
  ['white space around it', [['traceparent', `\t ${valid} \t`]], true],
]

test.each(cases)('%s', async (_, pairs, goesOn) => {
  const header = new Headers(pairs.map(([name, value]) => [name, value])).get('traceparent')
  const agent = createAgent({ id: 'poet', instructions: '', model: scriptedModel(['Snow.']) })
  const troupe = createTroupe({ agents: [agent], store: memoryStore(), around: otel() })
  const run = await troupe.start(agent, 'Go', isTraceparent(header) ? { traceparent: header } : {})
  await run.result
  await troupe.close()
  const [span] = telemetry.spans.filter(({ name }) => name === 'invoke_agent poet')
  expect(span?.spanContext().traceId === traceId).toBe(goesOn)
  expect(span?.parentSpanContext?.spanId === parentId).toBe(goesOn)
})

test('the flags of a later version that this one does not know are left out', () => {
  expect(trace.getSpanContext(contextOf({ traceparent: `cc-${traceId}-${parentId}-ff-more` }))).toMatchObject(
    {
      traceId,
      traceFlags: 1,
    },
  )
  expect(contextOf({})).toBe(ROOT_CONTEXT)
})

test('a tail of any length holds nothing up: a header that is too long is none', () => {
  expect(isTraceparent(`cc-${traceId}-${parentId}-01-${'-'.repeat(100)}`)).toBe(true)
  expect(isTraceparent(`cc-${traceId}-${parentId}-01-${'-'.repeat(1_000_000)}`)).toBe(false)
})

/** What a run sends on that was started with these headers. */
async function sentOn(pairs: readonly (readonly [string, string])[]): Promise<TraceContext | undefined> {
  const headers = new Headers(pairs.map(([name, value]) => [name, value]))
  const sent: (TraceContext | undefined)[] = []
  const call = createTool({
    id: 'call',
    description: 'Calls another system.',
    inputSchema: z.object({}),
    execute: () => void sent.push(traceContext()),
  })
  const model = scriptedModel([calls({ name: 'call', args: {} }), 'Called.'])
  const agent = createAgent({ id: 'caller', instructions: '', model, tools: { call } })
  const troupe = createTroupe({ agents: [agent], store: memoryStore(), around: otel() })
  const run = await troupe.start(agent, 'Go', { ...readTraceContext(Object.fromEntries(headers)) })
  await run.result
  await troupe.close()
  expect(sent).toHaveLength(1)
  const states = telemetry.spans
    .filter(({ name }) => name !== 'start_run caller')
    .map((span) => span.spanContext().traceState?.serialize())
  expect(new Set(states)).toEqual(new Set([sent[0]?.tracestate]))
  return sent[0]
}

const state = (...values: readonly string[]): readonly (readonly [string, string])[] => [
  ['traceparent', valid],
  ...values.map((value) => ['tracestate', value] as const),
]

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/'
const printable = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index))
  .filter((character) => character !== ',' && character !== '=')
  .join('')
const manyMembers = (count: number): readonly string[] => {
  const members = Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(2, '0')
    return `bar${number}=${number}`
  })
  return [0, 10, 20, 30].map((from) => members.slice(from, from === 30 ? count : from + 10).join(','))
}

/** By its name in the suite, with what it sends: the members that are sent on, or none. */
const stateCases: readonly (readonly [
  name: string,
  headers: readonly (readonly [string, string])[],
  members: readonly string[] | undefined,
])[] = [
  ['included, with a traceparent', state('foo=1,bar=2'), ['foo=1', 'bar=2']],
  ['another name: trace-state', [...state(), ['trace-state', 'foo=1']], undefined],
  ['another name: trace.state', [...state(), ['trace.state', 'foo=1']], undefined],
  ['the name in other cases: TraceState', [...state(), ['TraceState', 'foo=1']], ['foo=1']],
  ['the name in other cases: TrAcEsTaTe', [...state(), ['TrAcEsTaTe', 'foo=1']], ['foo=1']],
  ['the name in other cases: TRACESTATE', [...state(), ['TRACESTATE', 'foo=1']], ['foo=1']],
  ['an empty header', state(''), undefined],
  ['an empty header after another', state('foo=1', ''), ['foo=1']],
  ['an empty header before another', state('', 'foo=1'), ['foo=1']],
  [
    'several headers with different keys',
    state('foo=1,bar=2', 'rojo=1,congo=2', 'baz=3'),
    ['foo=1', 'bar=2', 'rojo=1', 'congo=2', 'baz=3'],
  ],
  ['the same member twice', state('foo=1,foo=1'), ['foo=1', 'foo=1']],
  ['a key twice', state('foo=1,foo=2'), ['foo=1', 'foo=2']],
  ['the same member in two headers', state('foo=1', 'foo=1'), ['foo=1', 'foo=1']],
  ['a key in two headers', state('foo=1', 'foo=2'), ['foo=1', 'foo=2']],
  ['all allowed characters', state(`${letters}=${printable}`), [`${letters}=${printable}`]],
  [
    'all allowed characters, with an at sign',
    state(`${letters}@a-z0-9_-*/=${printable}`),
    [`${letters}@a-z0-9_-*/=${printable}`],
  ],
  ['blanks and tabs around commas', state('foo=1 \t , \t bar=2, \t baz=3'), ['foo=1', 'bar=2', 'baz=3']],
  ['tabs and blanks around commas', state('foo=1\t \t,\t \tbar=2,\t \tbaz=3'), ['foo=1', 'bar=2', 'baz=3']],
  ['a blank before it', state(' foo=1'), ['foo=1']],
  ['a tab before it', state('\tfoo=1'), ['foo=1']],
  ['a blank after it', state('foo=1 '), ['foo=1']],
  ['a tab after it', state('foo=1\t'), ['foo=1']],
  ['white space around it', state('\t foo=1 \t'), ['foo=1']],
  ['illegal key: foo with a blank', state('foo =1'), undefined],
  ['illegal key: FOO', state('FOO=1'), undefined],
  ['illegal key: foo.bar', state('foo.bar=1'), undefined],
  ['an at sign at the end of a key', state('foo@=1,bar=2'), ['foo@=1', 'bar=2']],
  ['an at sign at the start of a key', state('@foo=1,bar=2'), undefined],
  ['two at signs in a key', state('foo@@bar=1,bar=2'), ['foo@@bar=1', 'bar=2']],
  ['at signs at two places of a key', state('foo@bar@baz=1,bar=2'), ['foo@bar@baz=1', 'bar=2']],
  ['32 members', state(...manyMembers(32)), manyMembers(32).join(',').split(',')],
  ['33 members', state(...manyMembers(33)), undefined],
  ['a key of 256 characters', state('foo=1', `${'z'.repeat(256)}=1`), ['foo=1', `${'z'.repeat(256)}=1`]],
  ['a key of 257 characters', state('foo=1', `${'z'.repeat(257)}=1`), undefined],
  ...[`${'t'.repeat(241)}@${'v'.repeat(14)}`, `${'t'.repeat(242)}@v`, `t@${'v'.repeat(15)}`].map(
    (key, index) =>
      [
        `a long key with an at sign, ${index + 1}`,
        state('foo=1', `${key}=1`),
        ['foo=1', `${key}=1`],
      ] as const,
  ),
  ['illegal value: foo=bar=baz', state('foo=bar=baz'), undefined],
  ['illegal value: none', state('foo=,bar=3'), undefined],
]

test.each(stateCases)('tracestate: %s', async (_, headers, members) => {
  const sent = await sentOn(headers)
  expect(sent?.traceparent.slice(0, 35)).toBe(valid.slice(0, 35))
  expect(sent?.tracestate?.split(',')).toEqual(members)
})

test.each(['foo=1', 'foo=1,bar=2'])('tracestate: %s without a traceparent', async (value) => {
  const sent = await sentOn([['tracestate', value]])
  expect(sent?.traceparent).not.toContain(traceId)
  expect(sent).not.toHaveProperty('tracestate')
})

describe('a tracestate of a stranger', () => {
  const read = (tracestate: unknown) => readTraceContext({ traceparent: valid, tracestate })?.tracestate

  test('of 512 characters stays as it is, and a longer one loses whole members: large ones first, then the last', () => {
    const large = `large=${'x'.repeat(123)}`
    const small = Array.from({ length: 9 }, (_, index) => `s${index}=${'y'.repeat(47)}`)
    const exact = [...small, `${'k'.repeat(8)}=${'v'.repeat(44)}`].join(',')
    expect(exact).toHaveLength(512)
    expect(read(exact)).toBe(exact)
    expect(read([large, ...small].join(','))).toBe(small.join(','))
    expect(read([...small, 'a=1', `b=${'z'.repeat(60)}`].join(','))).toBe([...small, 'a=1'].join(','))
    expect(read(Array.from({ length: 32 }, (_, at) => `k${at}=${'w'.repeat(256)}`).join(','))).toMatch(
      /^k0=w+$/,
    )
  })

  test.each([
    undefined,
    null,
    7,
    ['foo=1'],
    { foo: 1 },
    ' ',
    ',',
    'foo',
    '=1',
    'foo=1;bar=2',
    'foo=1\n',
    'foo=é',
  ])('%j is left out', (value) => {
    expect(readTraceContext({ traceparent: valid, tracestate: value })).toEqual({ traceparent: valid })
  })

  test('of any length holds nothing up', () => {
    for (const tail of [',', ' ', '\t', 'a', 'a=', '=', 'a=b,'])
      expect(read(`foo=1,${tail.repeat(1_000_000)}`)).toBeUndefined()
  })

  test.each([
    undefined,
    null,
    7,
    'text',
    [],
    { traceparent: 'x', tracestate: 'foo=1' },
    { tracestate: 'foo=1' },
  ])('of %j there is none', (given) => expect(readTraceContext(given)).toBeUndefined())
})

test('what a run takes as tracestate is what readTraceContext gives', () => {
  for (const [, headers, members] of stateCases) {
    const given = new Headers(headers.map(([name, value]) => [name, value])).get('tracestate')
    expect(isTracestate(given)).toBe(members !== undefined)
  }
})

test('code that changes the tracestate of OpenTelemetry puts what is new first, and keeps what is not its own', () => {
  const kept = trace.getSpanContext(
    contextOf({ traceparent: valid, tracestate: 'a@b@c=1, 0x= 2' }),
  )?.traceState
  expect(kept?.get('0x')).toBe(' 2')
  expect(kept?.get('0')).toBeUndefined()
  expect(kept?.set('new', '3').serialize()).toBe('new=3,a@b@c=1,0x= 2')
  expect(kept?.set('0x', '4').serialize()).toBe('0x=4,a@b@c=1')
  expect(kept?.unset('a@b@c').serialize()).toBe('0x= 2')
  for (const [key, value] of [
    ['A', '1'],
    ['a', ''],
    ['a', '1,b=2'],
    ['a=1,b', '2'],
  ] as const)
    expect(kept?.set(key, value).serialize()).toBe('a@b@c=1,0x= 2')
  const full = trace.getSpanContext(contextOf({ traceparent: valid, tracestate: manyMembers(32).join(',') }))
  expect(full?.traceState?.set('new', '1').serialize()).toBe(`new=1,${manyMembers(31).join(',')}`)
})
