import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { describeResponse } from './response-description.ts'

describe('response description', () => {
  const Product = Type.Object({ id: Type.String() }, { title: 'Product' })
  const Category = Type.Object({ id: Type.String() }, { title: 'Category' })
  const cursor = Type.String()
  const post = { method: 'POST', operationId: 'createProduct', status: 201 }
  const get = { method: 'GET', operationId: 'listStaleEntries', status: 200 }

  test('names the record and what happened to it', () => {
    assert.equal(describeResponse({ ...post, schema: Product }), 'The created product.')
    assert.equal(describeResponse({ ...post, method: 'PUT', status: 200, schema: Product }), 'The updated product.')
    assert.equal(describeResponse({ ...get, schema: Product }), 'The product.')
    const accepted = describeResponse({ ...post, status: 202, schema: Product })
    assert.equal(accepted, 'The product. Processing continues in the background.')
  })

  test('names the records of a page and of a list', () => {
    const page = Type.Object({ items: Type.Array(Category), cursor })
    assert.equal(describeResponse({ ...get, schema: page }), 'A page of categories.')
    const list = Type.Object({ items: Type.Array(Type.Object({}, { title: 'ApiKey' })) })
    assert.equal(describeResponse({ ...get, schema: list }), 'The list of API keys.')
    const unnamed = Type.Object({ items: Type.Array(Type.Object({})), cursor })
    assert.equal(describeResponse({ ...get, schema: unnamed }), 'A page of stale entries.')
  })

  test('prefers the text of the schema', () => {
    const schema = Type.Object({}, { title: 'Checks', 'x-response-description': 'The results of the last check.' })
    assert.equal(describeResponse({ ...get, schema }), 'The results of the last check.')
  })
})
