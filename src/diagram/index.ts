export { toMermaid, type MermaidOptions } from './to-mermaid.ts'
