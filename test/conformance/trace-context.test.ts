/**
 * The cases of the W3C's suite for trace contexts that are about `traceparent`: of a header that is valid the trace goes on, of
 * any other a new one begins. A run is started with it as a server would, and its spans are read.
 * `test/test.py` of https://github.com/w3c/trace-context at 00a91acf.
 */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { createAgent, createTroupe, memoryStore } from 'troupe'
import { isTraceparent } from 'troupe/kit'
import { otel } from 'troupe/otel'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { contextOf } from '../../src/otel/trace-context.ts'
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
  expect(trace.getSpanContext(contextOf(`cc-${traceId}-${parentId}-ff-more`))).toMatchObject({
    traceId,
    traceFlags: 1,
  })
  expect(contextOf(undefined)).toBe(ROOT_CONTEXT)
})

test('a tail of any length holds nothing up: a header that is too long is none', () => {
  expect(isTraceparent(`cc-${traceId}-${parentId}-01-${'-'.repeat(100)}`)).toBe(true)
  expect(isTraceparent(`cc-${traceId}-${parentId}-01-${'-'.repeat(1_000_000)}`)).toBe(false)
})
