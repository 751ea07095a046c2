/** A desk that draws a chart and hands it to an analyst: by its name, and not by its bytes. */
import { createAgent, createSupervisor, createTool, file, type ChatModel } from 'troupe'
import { z } from 'zod'
import { png } from './png.ts'

export function createDesk(model: ChatModel) {
  const analyst = createAgent({
    id: 'analyst',
    description: 'Reads charts that it is given.',
    instructions: 'You are the analyst. Say in one sentence what a chart shows.',
    model,
  })
  return createSupervisor({
    id: 'desk',
    instructions: 'You are the desk. Draw what is asked, and let the analyst read it.',
    model,
    agents: { analyst },
    tools: { draw },
  })
}

const draw = createTool({
  id: 'draw',
  description: 'Draws a series as a picture.',
  inputSchema: z.object({ name: z.string(), points: z.array(z.number().min(0).max(9)) }),
  execute: ({ name, points }) => ({
    points: points.length,
    chart: file(columns(points), 'image/png', { name: `${name}.png` }),
  }),
})

/** A dark column for each point. */
function columns(points: readonly number[]): Uint8Array {
  const scale = 16
  return png(
    points.length * scale,
    10 * scale,
    (x, y) => 9 - y / scale < (points[Math.floor(x / scale)] ?? 0),
  )
}
