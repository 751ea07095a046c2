/** The bars of a run: where they lie, which one lies at a point, and which are drawn. */
import { describe, expect, test } from 'vitest'
import { barAt, boxOf, placeLanes, type PlacedLane } from '../../../../src/inspector/page/timeline/bars.ts'
import { draw, type Colours } from '../../../../src/inspector/page/timeline/bar-canvas.tsx'
import { Scale } from '../../../../src/inspector/page/timeline/scale.ts'
import type { Bar } from '../../../../src/inspector/page/model/lanes.ts'
import { recordedRun } from '../recorded-run.ts'
import { patterns } from '../../../restate/soak/seeded-team.ts'

interface Shown {
  readonly lanes: readonly PlacedLane[]
  readonly scale: Scale
  readonly bars: readonly Bar[]
  readonly width: number
  readonly height: number
}

async function shown(seed: number, pattern: (typeof patterns)[number]): Promise<Shown> {
  const { model, rows } = await recordedRun(seed, pattern)
  const width = 60 * rows.length
  const lanes = placeLanes(model.lanes.list)
  const scale = new Scale({ offsets: rows.map(({ row }) => row), cuts: [], width, zoom: 1, left: 0 })
  const bars = model.lanes.list.flatMap(({ slots }) => slots.flat())
  const last = lanes.at(-1)
  return { lanes, scale, bars, width, height: (last?.top ?? 0) + (last?.height ?? 0) }
}

function laneOf({ lanes }: Shown, bar: Bar): PlacedLane {
  const placed = lanes.find(({ lane }) => lane === bar.lane)
  if (placed === undefined) throw new Error(`No lane for ${bar.key}`)
  return placed
}

const colours: Colours = {
  model: 'violet',
  tool: 'teal',
  hook: 'brown',
  scorer: 'pink',
  signal: 'gold',
  other: 'grey',
  failed: 'red',
  line: 'silver',
}

/** A context that writes down the boxes that it is told to draw. */
function recorder() {
  const boxes: { readonly colour: string; readonly x: number; readonly y: number }[] = []
  const at = { fillStyle: '', strokeStyle: '' }
  const context = Object.assign(at, {
    clearRect: () => undefined,
    fillRect: (x: number, y: number) => boxes.push({ colour: at.fillStyle, x, y }),
    strokeRect: (x: number, y: number) => boxes.push({ colour: at.strokeStyle, x: x - 0.5, y: y - 0.5 }),
  })
  return { boxes, context: context as unknown as CanvasRenderingContext2D }
}

describe.each(patterns)('the bars of a run of %s', (pattern) => {
  test.each([0, 1])('are found at their middles, seed %i', async (seed) => {
    const all = await shown(seed, pattern)
    for (const bar of all.bars) {
      const box = boxOf(bar, laneOf(all, bar), all.scale)
      const found = barAt(all.lanes, all.scale, { x: box.x + box.width / 2, y: box.y + box.height / 2 })
      // A bar without length may stand where another one begins.
      expect([bar.key, bar.until === bar.from && found?.key]).toContain(found?.key)
      expect(box.y + box.height).toBeLessThanOrEqual(all.height)
    }
    expect(barAt(all.lanes, all.scale, { x: 5, y: all.height + 5 })).toBeUndefined()
  })

  test('are drawn where they lie, all that have a length', async () => {
    const all = await shown(2, pattern)
    const { boxes, context } = recorder()
    draw(context, { ...all, scrolled: 0, colours })
    for (const bar of all.bars) {
      if (bar.until === bar.from || bar.kind === 'timer') continue
      const { x, y } = boxOf(bar, laneOf(all, bar), all.scale)
      expect(boxes.filter((box) => box.x === x && box.y === y && box.colour !== 'silver')).not.toEqual([])
    }
    const failed = all.bars.filter(({ status }) => status === 'error')
    expect(boxes.filter(({ colour }) => colour === 'red').length).toBeGreaterThanOrEqual(
      Math.min(1, failed.length),
    )
  })
})

test('what is not seen is not drawn', async () => {
  const { lanes, bars } = await shown(0, 'supervisor')
  const rows = Math.max(...bars.map(({ until = 0 }) => until)) + 1
  const offsets = Array.from({ length: rows }, (_, row) => row)
  const counted = (zoom: number, left: number): number => {
    const { boxes, context } = recorder()
    const scale = new Scale({ offsets, cuts: [], width: 500, zoom, left })
    draw(context, { lanes, scale, width: 500, height: 400, scrolled: 0, colours })
    return boxes.filter(({ colour }) => colour !== 'silver').length
  }
  expect(counted(1, 0)).toBeGreaterThan(counted(20, 0))
  expect(counted(20, 0)).toBeGreaterThan(0)
})

test('of a lane that is higher than what is seen, the slots that are seen are drawn', async () => {
  const { lanes, bars, scale, width } = await shown(0, 'supervisor')
  const [first] = lanes
  const [bar] = bars
  if (first === undefined || bar === undefined) throw new Error('The run has no bars.')
  const { lane } = first
  for (let slot = lane.slots.length; slot < 500; slot++) lane.add({ ...bar, slot, lane })
  const drawn = (scrolled: number) => {
    const { boxes, context } = recorder()
    const height = 90
    draw(context, { lanes: placeLanes([lane]), scale, width, height, scrolled, colours })
    return boxes.filter(({ colour }) => colour !== 'silver').map(({ y }) => y)
  }
  for (const scrolled of [1_000, 2_003, 4_400]) {
    const seen = drawn(scrolled)
    expect(new Set(seen).size).toBeGreaterThanOrEqual(10)
    expect(seen.length).toBeLessThanOrEqual(11)
    expect(seen.every((y) => y > -9 && y < 90)).toBe(true)
  }
})
