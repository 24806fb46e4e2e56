// Writes docs/openapi.json from the routes. `--check` only reports whether the file is up to date.
import { startApi } from '../test/support/start-api.ts'
import { generate } from './generated.ts'

const api = await startApi({ publicUrl: 'http://localhost:3000' })
const text = `${JSON.stringify(api.app.openApiDocument(), null, 2)}\n`
await api.close()

generate('docs/openapi.json', text, 'npm run openapi')
