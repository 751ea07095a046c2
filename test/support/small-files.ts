/** Small files, and messages with them. */
import type { FileData, FileUrl, Message } from 'troupe'

/** One pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const pdf = 'JVBERi0xLjQKJSVFT0Y='

export const dot: FileData = { type: 'file', mediaType: 'image/png', name: 'dot.png', data: png }
export const paper: FileData = { type: 'file', mediaType: 'application/pdf', name: 'paper.pdf', data: pdf }
export const note: FileData = { type: 'file', mediaType: 'text/plain', name: 'note.txt', data: 'SGku' }
export const voice: FileData = { type: 'file', mediaType: 'audio/mpeg', name: 'voice.mp3', data: 'SUQz' }
export const film: FileData = { type: 'file', mediaType: 'video/mp4', name: 'film.mp4', data: 'AAAA' }
export const dotAtUrl: FileUrl = { type: 'file', mediaType: 'image/png', url: 'https://example.com/dot.png' }
export const paperAtUrl: FileUrl = {
  type: 'file',
  mediaType: 'application/pdf',
  url: 'https://example.com/paper.pdf',
}

/** An answer with a file and two calls, of which one has files in its result. */
export const withFilesEverywhere: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'See.' }, dot] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Mine.' },
      { ...dot, name: 'mine.png' },
    ],
    toolCalls: [
      { id: 'a', name: 'draw', args: {} },
      { id: 'b', name: 'read', args: {} },
    ],
  },
  {
    role: 'tool',
    toolCallId: 'a',
    toolName: 'draw',
    content: [{ type: 'text', text: '{"ok":true}' }, dot, paper],
  },
  { role: 'tool', toolCallId: 'b', toolName: 'read', content: 'Words.' },
  { role: 'user', content: 'Go on.' },
]
