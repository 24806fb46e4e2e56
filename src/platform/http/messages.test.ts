import assert from 'node:assert/strict'
import { test } from 'node:test'
import { theNameOf } from './messages.ts'

test('a field is called what a person would call it', () => {
  const names = {
    name: 'the name',
    contactEmail: 'the contact email address',
    lowStockThreshold: 'the low stock threshold',
    taxBps: 'the tax rate',
    returnUrl: 'the return URL',
    'permissions.0': 'permission 1',
    'addresses.1.zip': 'the postal code of address 2',
    'variants.0.pricing.markets.1.price': 'the price of market 2 of variant 1',
    'variants.9.inventory.quantity': 'the quantity of the inventory of variant 10',
    'gallery.0.url': 'the URL of gallery item 1',
    'statuses.2': 'status 3',
    'categories.0': 'category 1',
    '': 'the body',
  }
  for (const [field, name] of Object.entries(names)) assert.equal(theNameOf(field), name)
})
