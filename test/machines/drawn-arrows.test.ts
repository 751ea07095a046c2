/**
 * A file that says that it draws every arrow between the states of its chart does so: each state that the chart leads to
 * from another stands by its name in the text of that other.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { parseSync, type Expression, type Node } from 'oxc-parser'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { expect, test } from 'vitest'
import { isRecord } from '../../src/actors/values/json.ts'

const folder = new URL('../../src/machines/', import.meta.url)

const claims = /This\s+(?:\*\s+)?file\s+(?:\*\s+)?draws\s+(?:\*\s+)?every\s+(?:\*\s+)?arrow/u

const files = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && claims.test(readFileSync(new URL(entry.name, folder), 'utf8')))
  .map(({ name }) => name)

test('the charts that say so are there', () => {
  expect(files).toEqual(
    expect.arrayContaining(['decision.ts', 'delegation.ts', 'react.ts', 'supervisor.ts', 'tool-call.ts']),
  )
})

test.each(files)('%s draws every arrow between its states', async (name) => {
  const drawn = drawnIn(name)
  const arrows = arrowsOf(await chartIn(name))
  expect(arrows.length).toBeGreaterThan(5)
  expect(arrows.filter(([from, to]) => drawn.get(from)?.has(to) !== true)).toEqual([])
})

async function chartIn(name: string): Promise<AnyStateMachine> {
  const module: unknown = await import(new URL(name, folder).href)
  const charts = Object.entries(isRecord(module) ? module : {}).flatMap(([key, value]) =>
    key.endsWith('Machine') && typeof value === 'function' ? [value as () => AnyStateMachine] : [],
  )
  expect(charts, 'one chart a file').toHaveLength(1)
  return (charts[0] as () => AnyStateMachine)()
}

/** The states below the root, and to which other of them each leads, from any depth. */
function arrowsOf(chart: AnyStateMachine): readonly (readonly [from: string, to: string])[] {
  const topOf = (node: AnyStateNode): string => node.path[0] ?? ''
  return Object.values(chart.root.states).flatMap((state) => {
    const targets = [state, ...below(state)].flatMap((node) =>
      [...node.transitions.values(), node.always ?? []].flat().flatMap(({ target }) => target ?? []),
    )
    const others = new Set(targets.map(topOf).filter((to) => to !== state.key))
    return [...others].map((to) => [state.key, to] as const)
  })
}

function below(node: AnyStateNode): readonly AnyStateNode[] {
  return Object.values<AnyStateNode>(node.states).flatMap((child) => [child, ...below(child)])
}

/** The words of each state in the text of the file, by the name of the state. */
function drawnIn(name: string): ReadonlyMap<string, ReadonlySet<string>> {
  const { program } = parseSync(name, readFileSync(new URL(name, folder), 'utf8'))
  const states = find(program, isNamedCall)
  expect(states, 'the states of the chart').toBeDefined()
  const [given] = states?.arguments ?? []
  const properties = given?.type === 'ObjectExpression' ? given.properties : []
  return new Map(
    properties.flatMap((property) =>
      property.type === 'Property' && property.key.type === 'Identifier'
        ? [[property.key.name, wordsIn(property.value)] as const]
        : [],
    ),
  )
}

type Call = Extract<Expression, { type: 'CallExpression' }>

function isNamedCall(node: Node): node is Call {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'named'
}

function find<Found extends Node>(from: unknown, is: (node: Node) => node is Found): Found | undefined {
  if (!isRecord(from) && !Array.isArray(from)) return undefined
  if (isRecord(from) && 'type' in from && is(from as object as Node)) return from as object as Found
  for (const part of Object.values(from)) {
    const found = find(part, is)
    if (found !== undefined) return found
  }
  return undefined
}

function wordsIn(from: unknown, words = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(from) || isRecord(from)) {
    if (isRecord(from) && from['type'] === 'Literal' && typeof from['value'] === 'string')
      words.add(from['value'].replace(/^[#.]/u, ''))
    for (const part of Object.values(from)) wordsIn(part, words)
  }
  return words
}
