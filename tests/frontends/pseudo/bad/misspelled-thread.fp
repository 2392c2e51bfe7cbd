thrad P { skip }
